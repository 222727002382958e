"""Judge golden query results by ranks of expected places: minimums, forbidden results, the drop against an index."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urldefrag

from searchsocket.errors import EmbedderUnavailable
from searchsocket.pipeline.run.results import Table
from searchsocket.project.settings.features import GoldenSettings
from searchsocket.quality.golden import GoldenQuery
from searchsocket.search.answer import Explanation, Note
from searchsocket.search.notes import NO_BACKEND, NOTES

DEPTH = 10  # of nDCG and reciprocal rank
_BY_WORDS_ONLY = frozenset(note.code for note in (*NOTES.values(), NO_BACKEND))

_PARTS = ("vector", "keyword", "page", "second", "links", "depth", "exact", "weight", "rerank")
_LEAST = 0.005  # smallest change of a part that counts
_MAX_PARTS = 3  # in a reason
_WORDS = {"vector": "meaning", "keyword": "words", "page": "words of the page", "second": "second section"}
_NAMES = {"recall": "recall@k", "mrr10": "MRR@10", "ndcg10": "nDCG@10"}
_ROUNDING = 1e-9
_MAX_NAMES = 3  # queries in a message


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


@dataclass(frozen=True, slots=True)
class Move:
    """A golden query whose first expected place moved, appeared or disappeared."""

    query: str
    place: str  # the first expected one that is among the results
    before: int  # its rank, from 1; 0: not found
    after: int
    why: str
    first: str  # page of the first result now

    @property
    def is_worse(self) -> bool:
        return self.before != 0 and (self.after == 0 or self.after > self.before)


def moves(before: Sequence[GoldenResults], after: Sequence[GoldenResults]) -> list[Move]:
    """Return the moves of queries in both lists, the worse ones first, then in the order of the file."""
    earlier = {reply.golden: reply for reply in before}
    pairs = [(earlier[reply.golden], reply) for reply in after if reply.golden in earlier]
    changed = [_move(old, new) for old, new in pairs if old.rank != new.rank]
    return sorted(changed, key=lambda move: not move.is_worse)


def _move(old: GoldenResults, new: GoldenResults) -> Move:
    then, now = _at(old), _at(new)
    place = next((place for place in new.places if place), next((place for place in old.places if place), ""))
    first = new.results[0].url if new.results else ""
    return Move(new.golden.query, place, old.rank, new.rank, _why(then, now, new), first)


def _at(reply: GoldenResults) -> GoldenResult | None:
    return reply.results[reply.rank - 1] if reply.rank else None


def _why(then: GoldenResult | None, now: GoldenResult | None, new: GoldenResults) -> str:
    """Return the change of the score parts, then the result that is now first."""
    words: list[str] = []
    if now is None:
        words.append("no longer found" if new.results else "no results any more")
    elif then is None:
        words.append("found now")
    elif then.parts and now.parts:
        words += _changes(then.parts, now.parts)
        if then.parts.cosine == now.parts.cosine and then.parts.bm25 == now.parts.bm25:
            words.append("the page itself is as near as before")
    if new.rank != 1 and new.results:
        top = new.results[0]
        words.append(f"{top.url} is first with {top.score:.3f}" + (f" against {now.score:.3f}" if now else ""))
    return "; ".join(words)


def _changes(then: Explanation, now: Explanation) -> Iterator[str]:
    """Yield the parts of the score that changed most."""
    values = [(name, getattr(then, name) or 0, getattr(now, name) or 0) for name in _PARTS]
    changes = [(name, old, new) for name, old, new in values if abs(new - old) >= _LEAST]
    for name, old, new in sorted(changes, key=lambda change: -abs(change[2] - change[1]))[:_MAX_PARTS]:
        yield f"{_WORDS.get(name, name)} {old:.2f} → {new:.2f}"


@dataclass(frozen=True, slots=True)
class IndexJudgement:
    """Judgement of an index by golden queries."""

    replies: tuple[GoldenResults, ...]
    now: Measures
    before: Measures | None  # of the index that it is compared with
    moves: tuple[Move, ...]
    reasons: tuple[str, ...]  # reasons for a refusal; empty if it passed
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.reasons

    @property
    def message(self) -> str:
        """The judgement in one sentence."""
        if self.reasons:
            return "; ".join(self.reasons)
        now, answered = self.now, sum(reply.rank > 0 for reply in self.replies if reply.golden.expect)
        words = f"{answered} of {now.queries} golden queries find their page; " + ", ".join(
            f"{name} {getattr(now, field):.3f}" for field, name in _NAMES.items()
        )
        return "; ".join([words, *self.notes])

    def numbers(self) -> dict[str, float]:
        """Return the measures by name, for plots in Dagster."""
        return {f"golden_{name}": round(value, 4) for name, value in asdict(self.now).items()}

    def tables(self) -> dict[str, Table]:
        """Return tables by title: queries that moved, and queries that fail."""
        wrong = [
            {"query": reply.golden.query, "expected": " ".join(reply.golden.expect) or "nothing", **_results(reply)}
            for reply in self.replies
            if reply.unwanted or (reply.golden.expect and not reply.rank)
        ]
        return {"golden queries that changed": [asdict(move) for move in self.moves], "golden queries that fail": wrong}

    def by_tag(self) -> Mapping[str, Measures]:
        """Return the measures of each tag."""
        return measures_by_tag(self.replies)


def judge(
    replies: Sequence[GoldenResults],
    before: Sequence[GoldenResults] | None,
    settings: GoldenSettings,
    notes: Sequence[str] = (),
    broken: Sequence[str] = (),
) -> IndexJudgement:
    """Judge the results of golden queries.

    Args:
        before: Their results in the index that this one replaces; None if there is none to compare with.
        broken: Queries that the rules of the owner break, each as a reason.
    """
    now = measures(replies)
    previous = measures(before) if before is not None else None
    all_moves = moves(before or (), replies)
    reasons = [*_unwanted(replies), *broken[:_MAX_NAMES], *_below_floors(now, settings)]
    if previous is not None and previous.queries:
        reasons += _drops(now, previous, all_moves, settings.max_drop)
    return IndexJudgement(tuple(replies), now, previous, tuple(all_moves), tuple(reasons), tuple(notes))


def _unwanted(replies: Sequence[GoldenResults]) -> list[str]:
    wrong = [
        f"{reply.golden.query!r} finds {place}"
        + (", and should find nothing" if reply.golden.answers_nothing else ", which is forbidden")
        for reply in replies
        for place in reply.unwanted[:1]
    ]
    more = len(wrong) - _MAX_NAMES
    return [*wrong[:_MAX_NAMES], *([f"{more} more return forbidden results"] if more > 0 else [])]


def _below_floors(now: Measures, settings: GoldenSettings) -> list[str]:
    floors = {"recall": settings.min_recall, "mrr10": settings.min_mrr, "ndcg10": settings.min_ndcg}
    return [
        f"{_NAMES[name]} is {getattr(now, name):.3f}, below the minimum of {floor:g}"
        for name, floor in floors.items()
        if now.queries and getattr(now, name) < floor - _ROUNDING
    ]


def _drops(now: Measures, previous: Measures, all_moves: Sequence[Move], max_drop: float) -> list[str]:
    drops = [
        f"{words} falls from {getattr(previous, name):.3f} to {getattr(now, name):.3f}, by more than {max_drop:g}"
        for name, words in _NAMES.items()
        if getattr(previous, name) - getattr(now, name) > max_drop + _ROUNDING
    ]
    worse = [f"{move.query!r} ({move.before} → {move.after or 'not found'})" for move in all_moves if move.is_worse]
    return [*drops, f"worst: {', '.join(worse[:_MAX_NAMES])}"] if drops and worse else drops


def _results(reply: GoldenResults) -> Mapping[str, str]:
    first = reply.results[0].url if reply.results else "nothing"
    return {"found_first": first, "must_not": " ".join(reply.unwanted)}
