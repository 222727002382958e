"""Rank the candidates of a query by all signals, with a weight for the kind of a page (docs/notes/ranking.md).

Generated listings and dated pages (posts, release notes, upgrade guides) repeat the words of the guides, so guides rank
above them.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from searchsocket.search.ranking.boosts import boosts_of
from searchsocket.search.ranking.names import WHOLE, exact_features, name_features, names_identifier
from searchsocket.search.ranking.rank import Features, Parts, Ranked, Ranking, fuse, fuse_pages, rank, score_candidates
from searchsocket.search.ranking.weights import WEIGHTS, Shares
from searchsocket.stores.base.index_reader import Candidates, Facts, WordSnapshot
from searchsocket.text.versions import is_version, version_match, versions_of_page, versions_of_query
from searchsocket.text.words import parse_query
from searchsocket.types import Scores

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings

_WEIGHTS = (0.01, 100.0)  # bounds of an author's page weight
LISTING_SHARE = 0.5  # factor of such a page compared with a guide
_LISTING = re.compile(
    r"/_(?:modules|sources?)(?:/|$)"  # Sphinx
    r"|/(?:genindex|py-modindex|modindex)(?:-[\w-]+)?(?:\.html?)?$"
    r"|/(?:index-all|allclasses(?:-\w+)?|allpackages-index|src-html/.+|index-files/.+)(?:\.html?)?$"  # Javadoc
    r"|_8\w{1,8}_source(?:\.html?)?$"  # Doxygen
    r"|/src/.+\.rs(?:\.html?)?$"  # rustdoc
    # Lists of posts, by tag, category, author, date or page, at the top of a site or of its blog.
    r"|^(?:/[a-z]{2}(?:-[a-z]{2})?)?(?:/(?:blog|posts|news|articles))?"
    r"/(?:tags?|categor(?:y|ies)|archives?|authors?|page/\d+)(?:/[^/]+)*(?:\.html?)?$"
    r"|^/(?:[^/]+/)*page/\d+(?:\.html?)?$"
)
DATED_SHARE = 0.9  # factor of such a page compared with a guide
_DATED = re.compile(
    r"/(?:19|20)\d\d(?:/\d\d?/|-\d\d-\d\d)"  # a day, or a month
    r"|/(?:blog|posts|announcements)/."
    r"|/(?:release-?notes?|releases|releaselog|change-?logs?|changes|whats-?new|news|migration)/"
    r"|/(?:releases|change-?logs?|changes|whats-?new|news)(?:\.html?)?$"
    r"|/(?:release-?notes?|release-v?\d|(?:migrat|upgrad)(?:e|ing|ion)(?![a-z]))[^/]*$",
    re.IGNORECASE,
)
# A query with such a word may ask for one of them; so may a number, which may be a version or a year.
_ASKS_FOR_DATED = re.compile(
    r"\d|\b(?:migrat|upgrad|releas|chang|new|blog|announc|version|histor|deprecat|remov|break)", re.IGNORECASE
)

_MANY_WORDS = 3  # besides a version: the query is about more than the version

Positions = npt.NDArray[np.int64]


def page_weights(facts: Facts, settings: "RankingSettings", q: str = "") -> Scores:
    """Return the factor of each record: its author's weight of the page, lower for listings and dated pages.

    Args:
        q: The query. If it names an identifier, source listings are not demoted. If it may ask for a post or release
            notes, those are not demoted.
    """
    weight = np.where(np.isfinite(facts.weight), facts.weight, 1.0)
    urls = set(facts.url)
    if settings.demote_listings and not names_identifier(q):
        weight = weight * _shares(facts.url, set(filter(is_listing, urls)), LISTING_SHARE)
    if settings.demote_occasions and not asks_for_dated_page(q):
        weight = weight * _shares(facts.url, set(filter(is_dated_page, urls)), DATED_SHARE)
    return np.minimum(np.maximum(weight, _WEIGHTS[0]), _WEIGHTS[1])


def _shares(urls: Sequence[str], less: Collection[str], share: float) -> Scores | float:
    """Return the factor of each record: `share` for the pages in `less`, otherwise 1."""
    return np.array([share if url in less else 1.0 for url in urls]) if less else 1.0


@lru_cache(maxsize=1 << 14)  # queries share pages
def is_listing(url: str) -> bool:
    """Return True if a generator uses this path for a source listing or an index of names."""
    return _LISTING.search(url) is not None


@lru_cache(maxsize=1 << 14)  # queries share pages
def is_dated_page(url: str) -> bool:
    """Return True if a path belongs to a post or release note."""
    return _DATED.search(url) is not None


def asks_for_dated_page(q: str) -> bool:
    """Return True if a query may ask for such a page."""
    return _ASKS_FOR_DATED.search(q) is not None


@dataclass(frozen=True, slots=True)
class RankingInput:
    """A query and its candidates: the input of every signal."""

    q: str
    candidates: Candidates
    shares: Shares
    words: WordSnapshot
    texts: Callable[[Sequence[str]], Sequence[str]]  # of records by id
    settings: "RankingSettings"
    by_page: bool  # rank pages, else chunks


# Name -> bonus of each candidate, by feature. A page has the best bonus of its chunks, and one for its names, see
# `of_pages`.
SIGNALS: Mapping[str, Callable[[RankingInput], Features]] = {
    "exact": lambda inputs: exact_features(inputs.q, inputs.candidates, inputs.texts),
    "version": lambda inputs: version_features(inputs.words, inputs.q, inputs.candidates),
    "passage": lambda inputs: passage_features(inputs.words, inputs.q, inputs.candidates.ids, inputs.shares),
}


def rank_candidates(inputs: RankingInput) -> Ranking:
    """Rank candidates by meaning and words, boosts and bonuses."""
    candidates = inputs.candidates
    lists = fuse(candidates.cosine, candidates.bm25, candidates.page_bm25, inputs.shares)
    boosts = boosts_of(candidates.facts, inputs.settings)
    weight = page_weights(candidates.facts, inputs.settings, inputs.q)
    features = {name: bonus(inputs) for name, bonus in SIGNALS.items()}
    bonuses: dict[str, Scores] = {name: reduce(add, columns.values()) for name, columns in features.items()}
    return _order(inputs, Parts(lists, boosts, weight, bonuses, features))


def rerank_candidates(inputs: RankingInput, order: Ranking, scores: Scores) -> Ranking:
    """Rank candidates again with the scores of a reranker.

    Args:
        order: From `rank_candidates`.
    """
    assert order.chunks
    chunks = replace(order.chunks, reranked=scores, rerank_weight=inputs.settings.weights.rerank)
    return replace(_order(inputs, chunks), is_judged=True)


def _order(inputs: RankingInput, chunks: Parts) -> Ranking:
    facts = inputs.candidates.facts
    ranked = rank(facts, chunks)
    if not inputs.by_page:
        return Ranking(ranked, chunks, chunks=chunks)
    pages = of_pages(facts, chunks, inputs.q, inputs.shares, inputs.words.rarities(inputs.q))
    scores = score_candidates(facts, pages)
    return Ranking(in_page_order(ranked, scores), pages, scores, chunks)


def passage_features(words: WordSnapshot, q: str, ids: Sequence[str], shares: Shares) -> Features:
    """Return the bonus of each record for query words that are adjacent in it too, and for containing most of them.

    Args:
        shares: `together` is the bonus for all words; if it is 0, they are not searched.
    """
    features = {
        "neighbours": WEIGHTS.neighbours * np.array(words.neighbours(q, ids), np.float64),
        "sentence": WEIGHTS.sentence * np.array(words.sentences(q, ids), np.float64),
    }
    if shares.together:
        # Squared, since many passages that answer another question contain half of the words.
        proximity = np.square(np.array(words.word_proximity(q, ids), np.float64))
        features["together"] = shares.together * (proximity - proximity.min(initial=1.0))
    return features


def version_features(words: WordSnapshot, q: str, candidates: Candidates) -> Features:
    """Return the bonus of each record for the version in its page's title or path, if the query has one.

    If a page or section has the rest of the query as its name, only records with these words have the bonus.
    """
    facts, versions = candidates.facts, versions_of_query(q)
    if not versions:
        return {"version": np.zeros(len(facts.url))}
    pages = list(zip(facts.title, facts.url, strict=True))
    matches = {page: version_match(versions, versions_of_page(*page)) for page in set(pages)}
    gains = WEIGHTS.version * np.array([matches[page] for page in pages])
    rest = " ".join(piece for piece in q.split() if not is_version(piece))
    words_of_rest = [
        word for word in parse_query(rest).words if not word.is_stop and not asks_for_dated_page(word.exact)
    ]
    if len(words_of_rest) >= _MANY_WORDS or (rest and max(candidates.titled.max(), candidates.headed.max()) >= WHOLE):
        gains = gains * np.square(np.array(words.word_proximity(rest, candidates.ids), np.float64))
    return {"version": gains}


def of_pages(facts: Facts, parts: Parts, q: str, shares: Shares, rarities: Mapping[str, float]) -> Parts:
    """Return the score parts of pages, from those of their chunks; equal for all chunks of a page.

    Args:
        rarities: Rarities of the words of the query, see `WordSnapshot.rarities`.
    """
    pages = _Pages(facts)
    second = WEIGHTS.second * pages.second(parts.lists.fused, facts.kind)
    lists = fuse_pages(parts.lists, pages.best, shares, second)
    best_at = {name: pages.best_at(scores) for name, scores in parts.bonuses.items()}
    bonuses = {name: parts.bonuses[name][at] for name, at in best_at.items()}
    features: dict[str, Features] = {
        name: {feature: column[best_at[name]] for feature, column in columns.items()}
        for name, columns in parts.features.items()
    }
    features["names"] = pages.name_features(q, facts.anchor, rarities)
    bonuses["names"] = reduce(add, features["names"].values())
    reranked = None if parts.reranked is None else pages.best(parts.reranked)
    return replace(parts, lists=lists, bonuses=bonuses, features=features, reranked=reranked)


def in_page_order(ranked: Sequence[Ranked], scores: Scores) -> list[Ranked]:
    """Order chunks by the scores of their pages; chunks of a page, and of pages with equal scores, keep their order."""
    positions = [chunk.position for chunk in ranked]
    return [ranked[at] for at in np.argsort(-scores[positions], kind="stable").tolist()] if positions else []


class _Pages:
    """Candidates by page."""

    def __init__(self, facts: Facts) -> None:
        titles = dict(zip(facts.url, facts.title, strict=True))
        self._names = list(zip(titles.values(), titles, strict=True))  # title and path of each page
        codes = dict(zip(titles, range(len(titles)), strict=True))
        self._codes = np.array(list(map(codes.__getitem__, facts.url)), np.int64)

    def best(self, values: Scores) -> Scores:
        """Return for each chunk the greatest value of its page's chunks."""
        best = np.full(len(self._names), -np.inf)
        np.maximum.at(best, self._codes, values)
        return best[self._codes]

    def best_at(self, values: Scores) -> Positions:
        """Return for each chunk the position of the first chunk with the greatest value of its page."""
        best = (values == self.best(values)).nonzero()[0][::-1]
        at = np.zeros(len(self._names), np.int64)
        at[self._codes[best]] = best
        return at[self._codes]

    def name_features(self, q: str, anchors: Sequence[str], rarities: Mapping[str, float]) -> Features:
        """Return the bonus of each page for its names, by feature."""
        features = name_features(q, self._names, self._codes.tolist(), anchors, rarities)
        return {name: column[self._codes] for name, column in features.items()}

    def second(self, fused: Scores, kinds: Sequence[str]) -> Scores:
        """Return the score of the second best section of each page; 0 if it has at most one."""
        sections = np.flatnonzero(np.array(kinds) != "summary")
        order = sections[np.lexsort((-fused[sections], self._codes[sections]))]
        pages = self._codes[order]
        is_second = np.zeros(len(order), bool)
        is_second[1:] = pages[1:] == pages[:-1]
        is_second[2:] &= pages[2:] != pages[:-2]
        second = np.zeros(len(self._names))
        second[pages[is_second]] = fused[order[is_second]]
        return second[self._codes]
