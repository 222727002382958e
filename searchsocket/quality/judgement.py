"""Judge golden query results: minimums, forbidden results, and the drop against another index."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from searchsocket.project.settings.features import GoldenSettings
from searchsocket.quality.moves import Move, moves
from searchsocket.quality.replies import GoldenResults, Measures, measures, measures_by_tag

_NAMES = {"recall": "recall@k", "mrr10": "MRR@10", "ndcg10": "nDCG@10"}
_ROUNDING = 1e-9
_NAMED = 3


@dataclass(frozen=True, slots=True)
class IndexJudgement:
    """Judgement of an index by golden queries."""

    replies: tuple[GoldenResults, ...]
    now: Measures
    before: Measures | None  # of what it is compared with
    moves: tuple[Move, ...]
    reasons: tuple[str, ...]  # why it is refused; none: it is good enough
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.reasons

    @property
    def message(self) -> str:
        """In one sentence."""
        if self.reasons:
            return "; ".join(self.reasons)
        now, answered = self.now, sum(reply.rank > 0 for reply in self.replies if reply.golden.expect)
        words = f"{answered} of {now.queries} golden queries find their page; " + ", ".join(
            f"{name} {getattr(now, field):.3f}" for field, name in _NAMES.items()
        )
        return "; ".join([words, *self.notes])

    def numbers(self) -> dict[str, float]:
        """Name to number, as Dagster plots them."""
        return {f"golden_{name}": round(value, 4) for name, value in asdict(self.now).items()}

    def tables(self) -> dict[str, Sequence[Mapping[str, Any]]]:
        """Title to rows: what moved, and what is not as it should be."""
        wrong = [
            {"query": reply.golden.query, "expected": " ".join(reply.golden.expect) or "nothing", **_got(reply)}
            for reply in self.replies
            if reply.unwanted or (reply.golden.expect and not reply.rank)
        ]
        return {"golden queries that changed": [asdict(move) for move in self.moves], "golden queries that fail": wrong}

    def by_tag(self) -> Mapping[str, Measures]:
        """The measures of each tag."""
        return measures_by_tag(self.replies)


def judge(
    replies: Sequence[GoldenResults],
    before: Sequence[GoldenResults] | None,
    settings: GoldenSettings,
    notes: Sequence[str] = (),
    broken: Sequence[str] = (),
) -> IndexJudgement:
    """Judge what golden queries found.

    Args:
        before: What they found in the index that this one is to replace; None = there is none to compare with.
        broken: Queries that the rules of the owner break, each as a reason.
    """
    now = measures(replies)
    was = measures(before) if before is not None else None
    moved = moves(before or (), replies)
    reasons = [*_unwanted(replies), *broken[:_NAMED], *_below_floors(now, settings)]
    if was is not None and was.queries:
        reasons += _drops(now, was, moved, settings.max_drop)
    return IndexJudgement(tuple(replies), now, was, tuple(moved), tuple(reasons), tuple(notes))


def _unwanted(replies: Sequence[GoldenResults]) -> list[str]:
    wrong = [
        f"{reply.golden.query!r} finds {place}"
        + (", and should find nothing" if reply.golden.answers_nothing else ", which is forbidden")
        for reply in replies
        for place in reply.unwanted[:1]
    ]
    return [*wrong[:_NAMED], *([f"{len(wrong) - _NAMED} more return forbidden results"] if wrong[_NAMED:] else [])]


def _below_floors(now: Measures, settings: GoldenSettings) -> list[str]:
    floors = {"recall": settings.min_recall, "mrr10": settings.min_mrr, "ndcg10": settings.min_ndcg}
    return [
        f"{_NAMES[name]} is {getattr(now, name):.3f}, below the minimum of {floor:g}"
        for name, floor in floors.items()
        if now.queries and getattr(now, name) < floor - _ROUNDING
    ]


def _drops(now: Measures, was: Measures, moved: Sequence[Move], allowed: float) -> list[str]:
    drops = [
        f"{words} falls from {getattr(was, name):.3f} to {getattr(now, name):.3f}, by more than {allowed:g}"
        for name, words in _NAMES.items()
        if getattr(was, name) - getattr(now, name) > allowed + _ROUNDING
    ]
    worse = [f"{move.query!r} ({move.before} → {move.after or 'not found'})" for move in moved if move.is_worse]
    return [*drops, f"worst: {', '.join(worse[:_NAMED])}"] if drops and worse else drops


def _got(reply: GoldenResults) -> Mapping[str, str]:
    first = reply.results[0].url if reply.results else "nothing"
    return {"found_first": first, "must_not": " ".join(reply.unwanted)}
