"""Results of golden queries, with the ranks of the expected places."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urldefrag

from searchsocket.errors import EmbedderUnavailable
from searchsocket.quality.golden import GoldenQuery
from searchsocket.search.answer import Explanation, Note
from searchsocket.search.notes import NO_BACKEND, NOTES

DEPTH = 10  # of nDCG and reciprocal rank
_BY_WORDS_ONLY = frozenset(note.code for note in (*NOTES.values(), NO_BACKEND))


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Return the discounted gain of the first `depth`, divided by that of the best possible order; gain = grade."""
    gain = sum(grades.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(ranked[:depth]))
    ideal = sorted(grades.values(), reverse=True)[:depth]
    return gain / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(ideal))


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Return 1 / rank of the first right document; 0 if none is among the first `depth`."""
    return next((1 / (rank + 1) for rank, document in enumerate(ranked[:depth]) if document in grades), 0.0)


def recall(ranked: Sequence[str], grades: Mapping[str, int], depth: int) -> float:
    """Return the share of the right documents that are among the first `depth`."""
    return len(set(ranked[:depth]) & set(grades)) / len(grades)


def mean(values: Iterable[float]) -> float:
    """Return the mean of the values; 0 without values."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """One result with the parts of its score."""

    url: str
    anchors: frozenset[str]  # of the matching sections; for code, the names that its lines define
    score: float
    parts: Explanation | None = None

    def is_at(self, place: str) -> bool:
        """Return True if this is the page or file in `place`, or the part of it that `place` names."""
        url, anchor = urldefrag(place)
        return self.url == url and (not anchor or anchor in self.anchors)


@dataclass(frozen=True, slots=True)
class GoldenResults:
    """Results of one golden query, best first."""

    golden: GoldenQuery
    results: tuple[GoldenResult, ...]

    @property
    def places(self) -> list[str]:
        """Expected place of each result, "" for other results; each place counts once."""
        remaining = list(self.golden.expect)
        places = []
        for result in self.results[: self.golden.k]:
            place = next((place for place in remaining if result.is_at(place)), "")
            places.append(place)
            if place:
                remaining.remove(place)
        return places

    @property
    def rank(self) -> int:
        """Rank of the first expected place, from 1; 0 if none is among the first `k`."""
        return next((rank for rank, place in enumerate(self.places, 1) if place), 0)

    @property
    def unwanted(self) -> tuple[str, ...]:
        """Forbidden results."""
        if self.golden.answers_nothing:
            return tuple(result.url for result in self.results[:1])
        first = self.results[: self.golden.k]
        return tuple(place for place in self.golden.must_not if any(result.is_at(place) for result in first))


@dataclass(frozen=True, slots=True)
class Measures:
    """Means over golden queries with expected places."""

    queries: int
    recall: float  # at each query's own k
    mrr10: float
    ndcg10: float


Ask = Callable[[GoldenQuery], Sequence[GoldenResult]]  # returns at least as many results as count


def ask_all(queries: Iterable[GoldenQuery], ask: Ask) -> list[GoldenResults]:
    """Run every golden query; raises as `ask`."""
    return [GoldenResults(golden, tuple(ask(golden))) for golden in queries]


def refuse_words_alone(golden: GoldenQuery, notes: Iterable[Note]) -> None:
    """Refuse to judge by an answer that matches words only, since it does not show the quality of the index.

    Raises:
        EmbedderUnavailable: A note reports such an answer.
    """
    for note in notes:
        if note.code in _BY_WORDS_ONLY:
            raise EmbedderUnavailable(f"the golden query {golden.query[:80]!r} could not be judged: {note.message}")


def measures(replies: Iterable[GoldenResults]) -> Measures:
    """Return the measures over all replies."""
    judged = [(reply.places, reply.golden) for reply in replies if reply.golden.expect]
    return Measures(
        len(judged),
        mean(recall(places, golden.grades, golden.k) for places, golden in judged),
        mean(reciprocal_rank(places, golden.grades, DEPTH) for places, golden in judged),
        mean(ndcg(places, golden.grades, DEPTH) for places, golden in judged),
    )


def measures_by_tag(replies: Sequence[GoldenResults]) -> Mapping[str, Measures]:
    """Return the measures of each tag, by name, without tags whose queries expect nothing."""
    tags = sorted({tag for reply in replies if reply.golden.expect for tag in reply.golden.tags})
    return {tag: measures(reply for reply in replies if tag in reply.golden.tags) for tag in tags}
