"""Compute the confidence of each result and the quality of the answer.

Passages are read without code: code examples are about recipes, travel and shopping, so they contain the words of
questions about these by chance.
"""

import math
from collections.abc import Sequence

from searchsocket.search.answer import AnswerFeature, AnswerModel, Quality
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.answerable import (
    DOUBTED,
    REFUSED,
    WEIGHTS,
    WHOLE,
    AnswerFeatures,
    answer_features,
    answer_score,
    missing_share,
)
from searchsocket.search.ranking.confidence import UNKNOWN_NEAR, WEAK, nearness
from searchsocket.search.ranking.names import COMPARISON, query_words
from searchsocket.search.ranking.rank import PageGroup, Ranked, Ranking, best_of_pages
from searchsocket.search.verdict import Verdict, is_code
from searchsocket.stores.base.index_reader import Candidates, IndexReader, ReadableRecord
from searchsocket.text.words import index_words
from searchsocket.types import MATCH_ALL

# Below this confidence the best passages are read: few questions about other subjects are above it, and 80 % of real
# queries are.
_DOUBTFUL = 0.45
_MAX_PASSAGES = 3
# Factor of the confidence if these passages do not cover the query; the product is below `WEAK`.
_DOUBTED = 0.4
_MOST_DOUBTED = 0.19  # below `WEAK`
_DIGITS = 3
_MOST_WORDS = 8  # a longer query is never refused: long questions contain unknown words and are rarely noise
_COMMON = math.log1p(1)  # `rarity` of a word on half of the pages
_LEAST = 1 / 3  # of the query's words


def result_confidence(
    reader: IndexReader,
    query: SearchQuery,
    candidates: Candidates,
    judged: Verdict,
    order: Ranking,
    groups: Sequence[PageGroup],
) -> tuple[list[float], Quality, AnswerFeatures | None]:
    """Return the confidence of each group, in [0, 1], the quality of the answer, and the features that decided it.

    The quality is that of the best result over all offsets, which may not be among these groups. A result whose title
    or heading is a part of the query is not a weak match. A query about another subject is rejected, without results.
    """
    features = _answer_features(reader, query, candidates, judged, order)
    score = answer_score(features) if features else math.inf
    if score < DOUBTED and (is_code(reader, candidates) or _is_common(reader, query, judged)):
        features, score = None, math.inf
    if score < REFUSED and judged.evidence.share < WHOLE and not judged.is_title:
        return [], "rejected", features
    confidences, quality = _by_passages(reader, query, candidates, judged, order, groups)
    if quality == "answered" and score < DOUBTED:
        return (
            [round(min(_DOUBTED * confidence, _MOST_DOUBTED), _DIGITS) for confidence in confidences],
            "weak",
            features,
        )
    return confidences, quality, features


def _is_common(reader: IndexReader, query: SearchQuery, judged: Verdict) -> bool:
    """Return True if most pages have every word of the query, so that the words are no evidence."""
    return not judged.evidence.missing and max(reader.words.rarities(query.q).values(), default=0.0) < _COMMON


def _answer_features(
    reader: IndexReader, query: SearchQuery, candidates: Candidates, judged: Verdict, order: Ranking
) -> AnswerFeatures | None:
    """Return the features of the model that decides if the site answers; None if it does not apply."""
    evidence, parts = judged.evidence, order.parts
    # The model does not apply to filtered queries, to queries without a known word, and to sites with few pages.
    is_judged = query.where == MATCH_ALL and evidence.indexed_share and judged.spread is not None
    if not is_judged or evidence.query_words > _MOST_WORDS or not parts or "names" not in parts.bonuses:
        return None
    first = order.ranked[0].position
    missing = missing_share(evidence, reader.words.rarities(query.q)) if evidence.missing else 0.0
    near = nearness(candidates.best_cosine, judged.spread) if judged.has_vector else UNKNOWN_NEAR
    passage, names, exact = (float(parts.bonuses[name][first]) for name in ("passage", "names", "exact"))
    return answer_features(evidence, missing, near, passage, names, exact)


def answer_model(features: AnswerFeatures) -> AnswerModel:
    """Return the decision of the model over the evidence of a query, for an explanation."""
    parts = (
        AnswerFeature(name, weight, round(value, 6), round(weight * value, 6))
        for name, weight, value in zip(features._fields, WEIGHTS, features, strict=True)
    )
    return AnswerModel(round(answer_score(features), 6), REFUSED, DOUBTED, tuple(parts))


def _by_passages(
    reader: IndexReader,
    query: SearchQuery,
    candidates: Candidates,
    judged: Verdict,
    order: Ranking,
    groups: Sequence[PageGroup],
) -> tuple[list[float], Quality]:
    """Return the confidence of each group, and the quality of the answer, by the text of the best passages."""
    assert order.parts
    ranked, parts, scores = order.ranked, order.parts, order.scores
    first = ranked[0] if scores is None else Ranked(float(scores[ranked[0].position]), ranked[0].position)
    confidences = judged.confidences([group.scored for group in groups], query.offset, first, parts)
    best = judged.confidences([first], 0, first, parts)[0] if query.offset or not groups else confidences[0]
    if best < _DOUBTFUL:
        is_by_page = query.group_by == "page"
        positions = best_of_pages(ranked, candidates.facts.url) if is_by_page else [chunk.position for chunk in ranked]
        passages = reader.catalogue.readable([candidates.ids[position] for position in positions[:_MAX_PASSAGES]])
        if is_named(query.q, passages):
            return [round(confidence * max(WEAK / best, 1), _DIGITS) for confidence in confidences], "answered"
        if best >= WEAK and not is_covered(query.q, passages):
            return [round(_DOUBTED * confidence, _DIGITS) for confidence in confidences], "weak"
    return confidences, "weak" if best < WEAK else "answered"


def is_covered(q: str, best: Sequence[ReadableRecord]) -> bool:
    """Return True if one of these passages contains over a third of the query's words, or none of them has prose."""
    subject = _subject(q)
    is_prose = False
    for readable in best if subject else ():
        sentences = _sentences(readable)
        is_prose |= bool(sentences)
        words = index_words("\n".join([*_names(readable), sentences]))
        if len(subject.intersection(words)) > _LEAST * len(subject):
            return True
    return not is_prose


def is_named(q: str, best: Sequence[ReadableRecord]) -> bool:
    """Return True if a third of the query or more is the title or a heading of a passage: `call` in "call vs fork"."""
    subject = _subject(q)
    names = (query_words(name)[0] for readable in best for name in _names(readable) if name)
    return any(words and words <= subject and len(words) >= _LEAST * len(subject) for words in names)


def _subject(q: str) -> frozenset[str]:
    words, _ = query_words(q)
    return words - COMPARISON or words


def _names(readable: ReadableRecord) -> list[str]:
    page, at = readable.record.page, readable.record.chunk.at
    openings = (opening.title for opening in readable.text.openings)
    return [page.title, page.url.replace("/", " "), *at.heading_path, at.title, *openings]


def _sentences(readable: ReadableRecord) -> str:
    """Return the text without its code."""
    text = readable.text
    ends = (*text.starts[1:], len(text.text))
    return "".join(
        text.text[start:end] for start, end, kind in zip(text.starts, ends, text.kinds, strict=True) if kind != "c"
    )
