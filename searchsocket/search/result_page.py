"""Build the results of one page of an answer; translations of a page become one result."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.search.answer import AnswerModel, Quality, Result
from searchsocket.search.curation import Curated, pinned_first
from searchsocket.search.query import SearchQuery
from searchsocket.search.quoting.marks import QueryWords
from searchsocket.search.quoting.passage import SectionScorer
from searchsocket.search.quoting.results import ResultWriter
from searchsocket.search.ranking.rank import (
    FusedScores,
    PageGroup,
    Ranked,
    Ranking,
    best_of_pages,
    each_alone,
    group_by_page,
)
from searchsocket.search.result_confidence import answer_model, result_confidence
from searchsocket.search.verdict import Verdict
from searchsocket.search.versions import in_searched_version
from searchsocket.stores.base.index_reader import Candidates, IndexReader
from searchsocket.stores.base.labels import LANGUAGE
from searchsocket.text.synonyms import Synonyms
from searchsocket.types import Scores
from searchsocket.web.languages import ORIGINAL, can_be_in, is_same_language, original_of

# The original wins against a translation with a slightly better score, since names are the same in every language.
_NEARLY = 0.8


@dataclass(frozen=True, slots=True)
class Translated:
    """Translations of one page among the candidates."""

    languages: tuple[str, ...]  # that of the shown page first, the others by score
    lead: Ranked | None  # best chunk of the best translation, if that is not the shown page and results are pages


def merges_translations(reader: IndexReader, query: SearchQuery) -> bool:
    """Return True if pages of the index have translations, and the query has no language filter."""
    return ORIGINAL in reader.catalogue.facet_names() and not any(name == LANGUAGE for name, _ in query.filters)


def merge_translations(
    reader: IndexReader, query: SearchQuery, candidates: Candidates, ranked: Sequence[Ranked]
) -> tuple[Sequence[Ranked], Mapping[str, Translated]]:
    """Return the chunks without those of hidden translations, and the translations of each shown page by its URL.

    Pages that share an original are translations. A page without any word of the query hides no translation that has
    one. If results are pages, the shown page gets the rank of its best translation; if they are chunks, each keeps its
    rank.
    """
    if not merges_translations(reader, query):
        return ranked, {}
    urls, by_page = candidates.facts.url, query.group_by == "page"
    first = {urls[chunk.position]: chunk for chunk in reversed(ranked)}  # best chunk of each page
    positions = best_of_pages(ranked, urls)
    ids = [candidates.ids[position] for position in positions]
    pages: dict[str, list[tuple[str, str]]] = {}
    labels, languages = reader.catalogue.facets(ids), reader.catalogue.languages_of(ids)
    for position, own_labels, language in zip(positions, labels, languages, strict=True):
        url = urls[position]
        pages.setdefault(original_of(own_labels) or f"#{url}", []).append((url, language))
    translated: dict[str, Translated] = {}
    order: dict[str, int] = {}  # rank of each shown page
    shares = _word_shares(reader, query, candidates) if any(len(group) > 1 for group in pages.values()) else {}
    for rank, (original, group) in enumerate(pages.items()):
        matching = [page for page in group if shares.get(page[0])] or group
        distances = {url: _distance(language, query) for url, language in matching}
        if original in distances and first[original].score >= _NEARLY * first[group[0][0]].score:
            distances[original] -= 0.5
        url = min(distances, key=distances.__getitem__)
        language = dict(group)[url]
        order[url] = rank
        if len(group) > 1:
            other_languages = (name for page, name in group if page != url and name)
            lead = first[group[0][0]] if by_page and group[0][0] != url else None
            translated[url] = Translated(tuple(dict.fromkeys((language, *other_languages))), lead)
    visible = [chunk for chunk in ranked if urls[chunk.position] in order]
    if by_page:
        visible.sort(key=lambda chunk: order[urls[chunk.position]])
    return visible, translated


def _word_shares(reader: IndexReader, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
    """Return the share of the query's words in the best candidate of each page, by URL."""
    shares: dict[str, float] = {}
    for url, share in zip(candidates.facts.url, reader.words.word_proximity(query.q, candidates.ids), strict=True):
        shares[url] = max(shares.get(url, 0.0), share)
    return shares


def _distance(language: str, query: SearchQuery) -> float:
    """Return the distance of a page's language from that of the visitor, else from that of the query."""
    preferred = query.prefer_language
    if preferred and language.lower().replace("_", "-") == preferred:
        return 0
    if preferred and language and is_same_language(language, preferred):
        return 1
    return 2 if not language or can_be_in(query.q, language) else 3


_CERTAIN = 1.0  # the owner decided that a pinned page answers
MAX_COMPARED = 20  # the best chunks; later ones are not compared
# Equal texts have nearly equal scores, so only the texts of such pairs are read ...
_NEAR_COSINE = 0.02
_NEAR_BM25 = 0.04  # of the greater score
# ... and are copies if they share this part of their runs of words.
_MIN_SHARE = 0.75
_RUN = 3  # words
_FEWEST_WORDS = 12  # shorter passages are similar by chance
_WORD = re.compile(r"\w+")
_ABOVE = np.triu(np.ones((MAX_COMPARED, MAX_COMPARED), np.bool_), 1)  # each pair once


class ResultPage(NamedTuple):
    """The results of one page of an answer."""

    results: tuple[Result, ...]
    total: int  # over all offsets
    quality: Quality  # of the best result
    model: AnswerModel | None  # that decided the quality, for an explanation; None: the model does not apply
    order: Ranking


def result_page(
    reader: IndexReader,
    query: SearchQuery,
    curated: Curated,
    decision: Verdict,
    order: Ranking,
    age: float,
    synonyms: Synonyms,
    *,
    collapses: bool,
) -> ResultPage:
    """Read the records of the results, and build the results.

    The ranking does not depend on the offset, so results keep their order from one page to the next.

    Args:
        collapses: True to show pages with the same text once.
    """
    assert order.parts
    assert order.chunks
    candidates, pins = curated.candidates, curated.pins
    ranked, scores, fused = pinned_first(order.ranked, candidates.facts.url, pins), order.scores, order.chunks.lists
    groups, total, alike = _result_groups(reader, query, candidates, ranked, fused, scores, collapses=collapses)
    chunks = (chunk.position for group in groups for chunk in (group.best, *group.sections))
    copies = chain.from_iterable(alike.get(group.best.position, ()) for group in groups)
    positions = list(dict.fromkeys([*chunks, *copies]))
    records = reader.catalogue.readable([candidates.ids[position] for position in positions])
    readable = dict(zip(positions, (in_searched_version(record, query.within) for record in records), strict=True))
    writer = ResultWriter(
        QueryWords(query.q, synonyms, decision.evidence.corrections),
        SectionScorer(query.q),
        readable,
        reader.generation,
        age,
        order.parts if query.explain else None,
        query.sources,
        section_snippets=query.section_snippets,
        within=query.within,
    )
    if not ranked:
        return ResultPage((), total, "answered", None, order)
    if curated.has_only_pins:
        confidences: Sequence[float] = [_CERTAIN] * len(groups)
        model = None
    else:
        confidences, quality, features = result_confidence(reader, query, candidates, decision, order, groups)
        model = answer_model(features) if query.explain and features else None
        if quality == "rejected":
            return ResultPage((), 0, quality, model, order)
    results = [
        writer.result(
            group,
            alike.get(group.best.position, ()),
            _CERTAIN if candidates.facts.url[group.scored.position] in pins else confidence,
            is_pinned=candidates.facts.url[group.scored.position] in pins,
        )
        for group, confidence in zip(groups, confidences, strict=True)
    ]
    return ResultPage(tuple(results), total, "answered" if pins else quality, model, order)


def _result_groups(
    reader: IndexReader,
    query: SearchQuery,
    candidates: Candidates,
    ranked: Sequence[Ranked],
    fused: FusedScores,
    scores: Scores | None,
    *,
    collapses: bool,
) -> tuple[list[PageGroup], int, Mapping[int, tuple[int, ...]]]:
    """Return the results of one answer, their total number, and the positions of copies by that of the best chunk.

    Copies and translations do not depend on the offset.

    Args:
        collapses: True to collapse copies.
    """

    def texts(positions: Sequence[int]) -> list[ChunkText]:
        return [record.text for record in reader.catalogue.readable([candidates.ids[at] for at in positions])]

    urls, last = candidates.facts.url, query.offset + query.top_k
    is_by_page = query.group_by == "page"
    ranked, translated = merge_translations(reader, query, candidates, ranked)
    best = best_of_pages(ranked, urls) if is_by_page else [chunk.position for chunk in ranked]
    alike = collapse_copies(best[:MAX_COMPARED], urls, fused, texts) if collapses else {}
    copies = {position for positions in alike.values() for position in positions}
    count = last + len(copies)
    groups = group_by_page(ranked, candidates.facts, count, scores) if is_by_page else each_alone(ranked, count)
    if copies:
        groups = [group for group in groups if group.best.position not in copies]
    groups = groups[query.offset : last]
    if translated:
        groups = [_among_translations(group, translated.get(urls[group.best.position]), scores) for group in groups]
    return groups, len(best) - len(copies), alike


def _among_translations(group: PageGroup, translated: Translated | None, scores: Scores | None) -> PageGroup:
    """Add its languages to the group of a page, and the chunk that determines its rank."""
    if translated is None:
        return group
    lead = translated.lead
    if lead is not None and scores is not None:
        lead = Ranked(float(scores[lead.position]), lead.position)
    return replace(group, lead=lead, languages=translated.languages)


def collapse_copies(
    best: Sequence[int], urls: Sequence[str], fused: FusedScores, texts: Callable[[Sequence[int]], Sequence[ChunkText]]
) -> Mapping[int, tuple[int, ...]]:
    """Map the position of each chunk with copies to those of its copies on other pages, best first.

    Args:
        best: Positions of the chunks to compare, best first.
        urls: URLs of the candidates.
        texts: Returns the texts of candidates by position.
    """
    pairs = _likely(best, urls, fused)
    if not pairs:
        return {}
    positions = sorted({position for pair in pairs for position in pair})
    text_of = dict(zip(positions, texts(positions), strict=True))
    above: dict[int, int] = {}
    for better, worse in pairs:
        if better not in above and worse not in above and _is_copy(text_of[better], text_of[worse]):
            above[worse] = better
    alike: dict[int, tuple[int, ...]] = {}
    for position in best:
        if (better := above.get(position, -1)) >= 0:
            alike[better] = (*alike.get(better, ()), position)
    return alike


def _likely(best: Sequence[int], urls: Sequence[str], fused: FusedScores) -> list[tuple[int, int]]:
    """Return pairs of positions on different pages with nearly equal scores, the better first."""
    cosine, bm25 = fused.cosine[best], fused.bm25[best]
    near = np.abs(cosine[:, None] - cosine) <= _NEAR_COSINE
    near &= np.abs(bm25[:, None] - bm25) <= _NEAR_BM25 * np.maximum(bm25[:, None], bm25)
    near &= bm25 > 0
    near &= _ABOVE[: len(best), : len(best)]
    pairs = ((best[i], best[j]) for i, j in zip(*map(np.ndarray.tolist, np.nonzero(near)), strict=True))
    return [(better, worse) for better, worse in pairs if urls[better] != urls[worse]]


def _is_copy(a: ChunkText, b: ChunkText) -> bool:
    shorter, longer = sorted((len(a.text), len(b.text)))
    if shorter < _MIN_SHARE * longer:  # fast: this rejects most pairs
        return False
    if not a.kinds.strip("c") or not b.kinds.strip("c"):
        return False  # equal code in two files is shown twice
    return _share(_runs(a.text), _runs(b.text)) >= _MIN_SHARE


@lru_cache(maxsize=1 << 9)  # popular chunks are compared often
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) < _FEWEST_WORDS:
        return frozenset()
    return frozenset(zip(*(words[at:] for at in range(_RUN)), strict=False))


def _share(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0
