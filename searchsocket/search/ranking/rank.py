"""Rank chunks by fused score, boosts and page weight, with a rule for every tie; mix in a reranker's scores.

Fused: each of three lists is scaled to [0, 1] over all candidates, then they are mixed (docs/notes/ranking.md). Ranked
chunks are grouped by page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from searchsocket.search.answer import Note
from searchsocket.search.ranking.boosts import Boosts
from searchsocket.search.ranking.weights import FEW_WORDS, WEIGHTS, Shares
from searchsocket.stores.base.index_reader import Facts
from searchsocket.types import Scores

# Smaller differences are rounding errors, which depend on the machine.
_DIGITS = 6
# Share of the reranker in the retrieval score at weight 1; the original score has the remainder. The mix is in [0, 1],
# so the bonus of `exact_features` for a title or a single word stays above it.
_RERANKER_SHARE = 0.8
Features = Mapping[str, Scores]  # weighted columns, by the names in `weights.FEATURES`
MAX_SECTIONS = 3
# One more than are shown: the section that answers may contain fewer of the words (quoting/passage.py).
MAX_COMPARED_SECTIONS = 4
# Words on every page score less than this. Their differences are rounding errors, which scaling would amplify.
_SILENT = 1e-3


@dataclass(frozen=True, slots=True)
class FusedScores:
    """Scores of the candidates per list, by column."""

    cosine: Scores  # in [-1, 1]
    bm25: Scores  # 0 if not in the keyword list
    page_bm25: Scores  # of the candidate's whole page; 0 if not in the list of pages
    vector: Scores  # cosine scaled over the candidates, in [0, 1]
    keyword: Scores  # bm25 scaled likewise
    page: Scores  # page_bm25 scaled likewise
    fused: Scores  # the three by their shares, in [0, 1]
    second: Scores  # bonus of a page for its second section, see `signals.py`; 0 for chunks
    shares: Shares = FEW_WORDS


def fuse(cosine: ArrayLike, bm25: ArrayLike, page_bm25: ArrayLike, shares: Shares = FEW_WORDS) -> FusedScores:
    """Scale and mix lists of equal length; a NaN counts as the lowest value."""
    cosines = np.array(cosine, np.float64)
    cosines = np.minimum(np.maximum(np.where(np.isnan(cosines), -1.0, cosines), -1.0), 1.0)
    words, pages = _positive(bm25), _positive(page_bm25)
    return _mix(cosines, words, pages, min_max(pages), shares, np.zeros(len(words)))


def fuse_pages(chunks: FusedScores, best: Callable[[Scores], Scores], shares: Shares, second: Scores) -> FusedScores:
    """Return the scores of pages from those of their chunks.

    Args:
        best: Returns for each chunk the greatest value of its page's chunks.
    """
    return _mix(best(chunks.cosine), best(chunks.bm25), chunks.page_bm25, chunks.page, shares, second)


def _mix(cosines: Scores, words: Scores, pages: Scores, page: Scores, shares: Shares, second: Scores) -> FusedScores:
    vector, keyword = min_max(cosines), min_max(words)
    mixed = np.minimum(shares.meaning * vector + shares.words * keyword + shares.page * page, 1.0)
    return FusedScores(cosines, words, pages, vector, keyword, page, mixed, second, shares)


def _positive(scores: ArrayLike) -> Scores:
    """Replace scores that are tiny, negative, NaN or infinite by 0."""
    values = np.array(scores, np.float64)
    return np.where(np.isfinite(values) & (values >= _SILENT), values, 0.0)


def min_max(values: Scores) -> Scores:
    """Scale values so that the least is 0 and the greatest 1; equal values become 1 if positive, else 0."""
    if not len(values):
        return values
    low, high = values.min(), values.max()
    if high <= low:
        return np.full(len(values), 1.0 if high > 0 else 0.0)
    scaled: Scores = (values - low) / (high - low)
    return scaled


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of the candidates' scores, by column."""

    lists: FusedScores
    boosts: Boosts
    weight: Scores  # of the page, a factor
    bonuses: Mapping[str, Scores]  # by signal, see `signals.SIGNALS`
    features: Mapping[str, Features] = field(default_factory=dict)  # of each signal; their sum is its bonus
    reranked: Scores | None = None  # in [0, 1], see `judged.candidate_scores`; None: not reranked
    rerank_weight: float = 0.0

    @property
    def rerank_share(self) -> float:
        """Share of the reranker in the retrieval score."""
        return 0.0 if self.reranked is None else _RERANKER_SHARE * self.rerank_weight

    @property
    def exact(self) -> Scores:
        """Bonus for exact matches, and for pages their name bonus."""
        exact, names = self.bonuses["exact"], self.bonuses.get("names")
        return exact if names is None else exact + names

    @property
    def matches(self) -> Scores:
        """Sum of all bonuses."""
        return reduce(add, self.bonuses.values())


class Ranked(NamedTuple):
    """One chunk with its score in [0, 1], comparable only within one answer."""

    score: float
    position: int  # among the candidates


_as_ranked = partial(tuple.__new__, Ranked)  # called for each candidate; the class itself takes 20 % longer


def rank(facts: Facts, parts: Parts) -> list[Ranked]:
    """Return the chunks, best first, without pages of weight 0; equal scores by path, then position and id."""
    visible = np.flatnonzero(~(facts.weight <= 0))
    scores = score_candidates(facts, parts)
    best = visible[np.lexsort((facts.order[visible], -scores[visible]))]
    return list(map(_as_ranked, zip(scores[best].tolist(), best.tolist(), strict=True)))


def score_candidates(facts: Facts, parts: Parts) -> Scores:
    """Return the score of each candidate, in [0, 1]; undefined for pages of weight 0."""
    visible = ~(facts.weight <= 0)
    if not visible.any():
        return np.zeros(len(visible))
    lists, boosts, weight = parts.lists, parts.boosts, parts.weight
    most = reduce(add, parts.bonuses.values(), lists.second)[visible].max()
    # Pages may weigh more than 1; division by the maximum keeps scores in [0, 1] and their order.
    scale = (1.0 + boosts.most + most) * max(1.0, weight[visible].max())
    first = lists.fused if parts.reranked is None else mix_scores(lists.fused, parts.reranked, parts.rerank_share)
    sums = reduce(add, [*boosts.columns.values(), *parts.bonuses.values()], first + lists.second)
    scores: Scores = np.round(sums * weight / scale, _DIGITS)
    return scores


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranked candidates, and the parts of their scores."""

    ranked: Sequence[Ranked]  # best first
    parts: Parts | None  # of pages if those are ranked; None without candidates
    scores: Scores | None = None  # of each candidate's page; None if chunks are ranked
    chunks: Parts | None = None  # of the chunks
    notes: tuple[Note, ...] = ()
    is_judged: bool = False  # True after reranking


NOTHING = Ranking((), None)


def candidate_scores(positions: Sequence[int], scores: Sequence[float | None], candidates: int) -> Scores:
    """Return a score per candidate, scaled over those that have one; 0 for the others.

    Args:
        positions: Positions of the candidates that were sent to the reranker.
        scores: Their scores; None: not among the best.
    """
    column = np.zeros(candidates)
    scored = [(position, score) for position, score in zip(positions, scores, strict=True) if score is not None]
    if scored:
        judged_positions, values = zip(*scored, strict=True)
        # Equal scores mean only that the candidates without a score are worse.
        column[list(judged_positions)] = min_max(np.array(values, np.float64)) if min(values) < max(values) else 1.0
    return column


def weights_of(parts: Parts) -> dict[str, float]:
    """Return the weight of each feature, by the names in `weights.FEATURES`; those of boosts are settings."""
    shares, list_share = parts.lists.shares, 1.0 - parts.rerank_share
    lists = {name: list_share * getattr(shares, name) for name in ("meaning", "words", "page")}
    return {**WEIGHTS._asdict(), **lists, "together": shares.together, "rerank": parts.rerank_share}


def parts_of_sum(parts: Parts) -> dict[str, Scores]:
    """Return the terms that `score_candidates` adds up, by the names in `weights.FEATURES`."""
    lists, weights = parts.lists, weights_of(parts)
    terms = {
        "meaning": weights["meaning"] * lists.vector,
        "words": weights["words"] * lists.keyword,
        "page": weights["page"] * lists.page,
        "second": lists.second,
        **parts.boosts.columns,
    }
    if parts.reranked is not None:
        terms["rerank"] = weights["rerank"] * parts.reranked
    for features in parts.features.values():
        terms |= features
    return terms


def mix_scores(fused: Scores, reranked: Scores, share: float) -> Scores:
    """Return the retrieval score of reranked candidates, in [0, 1]; `share` is that of the reranker."""
    return (1.0 - share) * fused + share * reranked


@dataclass(frozen=True, slots=True)
class PageGroup:
    """A page with its best chunk and the best chunk of each of its best sections."""

    best: Ranked
    sections: tuple[Ranked, ...]  # by score, at most `MAX_COMPARED_SECTIONS`; with that of `best`, without the summary
    lead: Ranked | None = None  # best chunk of a better translation of the page, which decides score and confidence
    languages: tuple[str, ...] = ()  # of the page and its translations among the candidates; () if it has none

    @property
    def scored(self) -> Ranked:
        """The chunk that decides score and confidence."""
        return self.lead or self.best


def group_by_page(ranked: Sequence[Ranked], facts: Facts, top_k: int, scores: Scores | None = None) -> list[PageGroup]:
    """Return at most `top_k` pages, in the order of their first chunks.

    Args:
        ranked: Chunks by the rank of their page, then by their own.
        scores: Score of each candidate's page; None: a page has the score of its best chunk.
    """
    pages: dict[str, list[Ranked]] = {}
    for chunk in ranked:
        pages.setdefault(facts.url[chunk.position], []).append(chunk)
    return [
        PageGroup(best if scores is None else Ranked(float(scores[best.position]), best.position), sections)
        for chunks in list(pages.values())[:top_k]
        for best, sections in [(chunks[0], _best_sections(chunks, facts))]
    ]


def best_of_pages(ranked: Sequence[Ranked], urls: Sequence[str]) -> list[int]:
    """Return the position of the best chunk of each page, best first."""
    pages: dict[str, int] = {}
    for chunk in ranked:
        pages.setdefault(urls[chunk.position], chunk.position)
    return list(pages.values())


def each_alone(ranked: Sequence[Ranked], top_k: int) -> list[PageGroup]:
    """Return at most `top_k` chunks, each as a group of its own."""
    return [PageGroup(chunk, ()) for chunk in ranked[:top_k]]


def _best_sections(chunks: Sequence[Ranked], facts: Facts) -> tuple[Ranked, ...]:
    """Return one chunk per section: a long section has several chunks with the same anchor."""
    sections: dict[str, Ranked] = {}
    for chunk in chunks:
        if facts.kind[chunk.position] == "section":
            sections.setdefault(facts.anchor[chunk.position], chunk)
    return tuple(list(sections.values())[:MAX_COMPARED_SECTIONS])
