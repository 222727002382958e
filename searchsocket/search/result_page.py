"""Build the results of one page of an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.search.answer import AnswerModel, Quality, Result
from searchsocket.search.curation import Curated, pinned_first
from searchsocket.search.query import SearchQuery
from searchsocket.search.quoting.choice import SectionScorer
from searchsocket.search.quoting.marks import QueryWords
from searchsocket.search.quoting.results import ResultWriter
from searchsocket.search.ranking.alike import MAX_COMPARED, collapse_copies
from searchsocket.search.ranking.fusion import FusedScores
from searchsocket.search.ranking.group import PageGroup, best_of_pages, each_alone, group_by_page
from searchsocket.search.ranking.rank import Ranked, Ranking
from searchsocket.search.result_confidence import answer_model, result_confidence
from searchsocket.search.translations import Translated, merge_translations
from searchsocket.search.verdict import Verdict
from searchsocket.search.versions import in_searched_version
from searchsocket.stores.base import Candidates, IndexReader
from searchsocket.text.synonyms import Synonyms
from searchsocket.types import Scores

_CERTAIN = 1.0  # the owner decided that a pinned page answers


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
