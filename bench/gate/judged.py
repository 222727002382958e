"""Query the engine, and record the features of the confidence of each result."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from bench.relevance.collection import Collection
from bench.relevance.product import NOW, SCOPE, Indexes
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search import result_confidence, verdict
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.answerable import AnswerFeatures, answer_score
from searchsocket.search.ranking.confidence import confidence
from searchsocket.types import Scores

TOP_K = 10


@dataclass(frozen=True, slots=True)
class Judged:
    """One query with its answer."""

    collection: str
    kind: str
    text: str
    quality: str
    confidences: tuple[float, ...]  # of the results, best first
    features: tuple[tuple[float, ...], ...]  # likewise
    are_right: tuple[bool, ...]  # likewise
    targets: int
    answer_features: tuple[float, ...]  # of the query; () where it was not judged by them

    @property
    def recall(self) -> float:
        """Share of the right pages among the first ten."""
        return sum(self.are_right) / min(self.targets, TOP_K) if self.targets else 0.0


def judge(collection: Collection, indexes: Indexes, *, refuses: bool = True) -> Iterator[Judged]:
    """Ask all queries of a collection.

    Args:
        refuses: Use the model of `ranking/answerable.py`, whose features are noted in any case.
    """
    for indexed in indexes.of(collection):
        queries = QueryVectors(lambda _, embedder=indexed.embedder: embedder)  # type: ignore[misc]
        engine = SearchEngine(indexed.store, queries, RankingSettings(), lambda: NOW)
        for query in (query for query in collection.queries if query.scope == indexed.scope):
            grades = collection.grades.get(query.id, {})
            with _noted() as noted, _noted_answers(refuses=refuses) as answers:
                limit = TOP_K + len(query.exclude)
                answer = engine.search(SearchQuery(query.text[:MAX_QUERY_CHARS], min(limit, 100)), SCOPE)
            rows = [
                (result.confidence, features, document in grades)
                for result, features in zip(answer.results, noted, strict=True)
                if (document := indexed.ids[result.url.partition("#")[0]]) not in query.exclude
            ][:TOP_K]
            sure, features, right = zip(*rows, strict=True) if rows else ((), (), ())
            kind, text, quality = query.kind, query.text, answer.quality
            of_query = answers[-1] if answers else ()
            yield Judged(collection.name, kind, text, quality, sure, features, right, len(grades), of_query)


@contextmanager
def _noted() -> Iterator[list[tuple[float, ...]]]:
    """Features of the confidences, best first."""
    noted: list[tuple[float, ...]] = []

    def note(features: Scores) -> Scores:
        noted.extend(map(tuple, features.tolist()))
        return confidence(features)

    with patch.object(verdict, "confidence", note):
        yield noted


@contextmanager
def _noted_answers(*, refuses: bool) -> Iterator[list[tuple[float, ...]]]:
    """Features of the decision to answer."""
    noted: list[tuple[float, ...]] = []

    def note(features: AnswerFeatures) -> float:
        noted.append(tuple(features))
        return answer_score(features) if refuses else math.inf

    with patch.object(result_confidence, "answer_score", note):
        yield noted
