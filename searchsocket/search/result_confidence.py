"""Confidence of each result, and if the best one matches well."""

import math
from collections.abc import Sequence

from searchsocket.search.answer import Quality
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.answerable import DOUBTED, REFUSED, WHOLE, answer_features, answer_score
from searchsocket.search.ranking.confidence import WEAK
from searchsocket.search.ranking.coverage import is_covered, is_named
from searchsocket.search.ranking.group import PageGroup, best_of_pages
from searchsocket.search.ranking.rank import Ranked, Ranking
from searchsocket.search.ranking.relevance import nearness
from searchsocket.search.verdict import Verdict, is_code
from searchsocket.stores.base import Candidates, IndexReader
from searchsocket.types import MATCH_ALL

# Below it the best passages are read: few questions about something else are surer, and four of five true queries are.
_DOUBTFUL = 0.45
_READ = 3  # of them
# What such a result's confidence is worth where they do not say what was asked: never more than `WEAK`.
_DOUBTED = 0.4
_MOST_DOUBTED = 0.19  # below `WEAK`
_DIGITS = 3
_MOST_WORDS = 8  # of a query that may be refused: a long question has words that no page has, and is no noise
_COMMON = math.log1p(1)  # `rarity` of a word that half of the pages have
_UNKNOWN_NEAR = 1.5  # of an answer by words alone


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
    whose title or heading is a part of the query is no weak match. Nothing is left where the query is about something
    else.
    """
    score = _answer_score(reader, query, candidates, judged, order)
    if score < DOUBTED and (is_code(reader, candidates) or _is_common(reader, query, judged)):
        score = math.inf
    if score < REFUSED and judged.evidence.share < WHOLE:
        return [], "rejected"
    sure, quality = _by_passages(reader, query, candidates, judged, order, groups)
    if quality == "answered" and score < DOUBTED:
        return [round(min(_DOUBTED * one, _MOST_DOUBTED), _DIGITS) for one in sure], "weak"
    return sure, quality


def _is_common(reader: IndexReader, query: SearchQuery, judged: Verdict) -> bool:
    """Return True if most pages have every word of the query: then the words say nothing about what it asks."""
    return not judged.evidence.missing and max(reader.words.rarities(query.q).values(), default=0.0) < _COMMON


def _answer_score(
    reader: IndexReader, query: SearchQuery, candidates: Candidates, judged: Verdict, order: Ranking
) -> float:
    """The logarithm of the odds that the site answers; infinite where nothing can be said of that."""
    evidence, parts = judged.evidence, order.parts
    # What has no known word is judged by meaning alone, of a few pages each word says little, and a filter makes no
    # query nonsense.
    is_judged = query.where == MATCH_ALL and evidence.known and judged.spread is not None
    if not is_judged or evidence.asked > _MOST_WORDS or not parts or "names" not in parts.bonuses:
        return math.inf
    first = order.ranked[0].position
    missing = 0.0
    if evidence.missing:
        rarities = reader.words.rarities(query.q)
        rarest = max(rarities.values(), default=0.0)
        total = sum(rarities.values())
        missing = sum(rarities.get(word, rarest) for word in evidence.missing) / total if total else 0.0
    near = nearness(candidates.best_cosine, judged.spread) if judged.has_vector else _UNKNOWN_NEAR
    passage, names, exact = (float(parts.bonuses[name][first]) for name in ("passage", "names", "exact"))
    return answer_score(answer_features(evidence, missing, near, passage, names, exact))


def _by_passages(
    reader: IndexReader,
    query: SearchQuery,
    candidates: Candidates,
    judged: Verdict,
    order: Ranking,
    groups: Sequence[PageGroup],
) -> tuple[list[float], Quality]:
    """The same by what the best passages say."""
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
