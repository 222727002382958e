"""The results of one page of an answer."""

from collections.abc import Sequence
from itertools import chain

from searchsocket.search.answer import Quality, Result
from searchsocket.search.curation import Curated, pinned_first
from searchsocket.search.groups import result_groups
from searchsocket.search.query import SearchQuery
from searchsocket.search.quoting.choice import SectionScorer
from searchsocket.search.quoting.marks import QueryWords
from searchsocket.search.quoting.results import ResultWriter
from searchsocket.search.ranking.rank import Ranking
from searchsocket.search.result_confidence import result_confidence
from searchsocket.search.verdict import Verdict
from searchsocket.search.versions import located
from searchsocket.stores.base import IndexReader
from searchsocket.text.synonyms import Synonyms

_CERTAIN = 1.0  # the owner decided that a pinned page answers


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
) -> tuple[tuple[Result, ...], int, Quality]:
    """Read the records of the results, and write these.

    Results do not depend on the offset, so they keep their order from one page to the next.

    Args:
        collapses: Show pages with the same text once.

    Returns:
        The results, how many there are over all offsets, and how well the best one matches.
    """
    assert order.parts
    assert order.chunks
    candidates, pins = curated.candidates, curated.pins
    ranked, scores, fused = pinned_first(order.ranked, candidates.facts.url, pins), order.scores, order.chunks.found
    groups, total, alike = result_groups(reader, query, candidates, ranked, fused, scores, collapses=collapses)
    chunks = (chunk.position for group in groups for chunk in (group.best, *group.sections))
    others = chain.from_iterable(alike.get(group.best.position, ()) for group in groups)
    positions = list(dict.fromkeys([*chunks, *others]))
    records = reader.catalogue.readable([candidates.ids[position] for position in positions])
    readable = dict(zip(positions, (located(each, query.within) for each in records), strict=True))
    writer = ResultWriter(
        QueryWords(query.q, synonyms),
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
        return (), total, "answered"
    if curated.has_only_pins:
        confidences: Sequence[float] = [_CERTAIN] * len(groups)
    else:
        confidences, quality = result_confidence(reader, query, candidates, decision, order, groups)
        if quality == "rejected":
            return (), 0, quality
    results = [
        writer.result(
            group,
            alike.get(group.best.position, ()),
            _CERTAIN if candidates.facts.url[group.scored.position] in pins else confidence,
            is_pinned=candidates.facts.url[group.scored.position] in pins,
        )
        for group, confidence in zip(groups, confidences, strict=True)
    ]
    return tuple(results), total, "answered" if pins else quality
