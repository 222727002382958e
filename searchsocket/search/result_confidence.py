"""Confidence of each result, and if the best one matches well."""

from collections.abc import Sequence

from searchsocket.search.answer import Quality
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.confidence import WEAK
from searchsocket.search.ranking.coverage import is_covered, is_named
from searchsocket.search.ranking.group import PageGroup, best_of_pages
from searchsocket.search.ranking.rank import Ranked, Ranking
from searchsocket.search.verdict import Verdict
from searchsocket.stores.base import Candidates, IndexReader

# Below it the best passages are read: few questions about something else are surer, and four of five true queries are.
_DOUBTFUL = 0.45
_READ = 3  # of them
# What such a result's confidence is worth where they do not say what was asked: never more than `WEAK`.
_DOUBTED = 0.4
_DIGITS = 3


def result_confidence(
    reader: IndexReader,
    query: SearchQuery,
    candidates: Candidates,
    judged: Verdict,
    order: Ranking,
    groups: Sequence[PageGroup],
) -> tuple[list[float], Quality]:
    """The confidence of each group, in [0, 1], and what they are together.

    The second is of the best result of all, which may be on an earlier page of results than these groups. A result
    whose title or heading is a part of the query is no weak match.
    """
    assert order.parts
    ranked, parts, scores = order.ranked, order.parts, order.scores
    first = ranked[0] if scores is None else Ranked(float(scores[ranked[0].position]), ranked[0].position)
    sure = judged.confidences([group.scored for group in groups], query.offset, first, parts)
    best = judged.confidences([first], 0, first, parts)[0] if query.offset or not groups else sure[0]
    if best < _DOUBTFUL:
        is_by_page = query.group_by == "page"
        positions = best_of_pages(ranked, candidates.facts.url) if is_by_page else [chunk.position for chunk in ranked]
        passages = reader.catalogue.readable([candidates.ids[position] for position in positions[:_READ]])
        if is_named(query.q, passages):
            return [round(one * max(WEAK / best, 1), _DIGITS) for one in sure], "answered"
        if best >= WEAK and not is_covered(query.q, passages):
            return [round(_DOUBTED * one, _DIGITS) for one in sure], "weak"
    return sure, "weak" if best < WEAK else "answered"
