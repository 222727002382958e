"""The order of chunks: fused score, boosts, page weight, and a rule for every tie."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from searchsocket.search.boosts import Boosts, boosts_of, largest_sum
from searchsocket.search.exact import Exactness
from searchsocket.search.fusion import Candidate
from searchsocket.settings.model import RankingSettings
from searchsocket.types import Record

NOTHING = Exactness("", ())
# Scores that differ by less come from the order in which a machine adds, not from the texts.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk with its score in [0, 1], comparable only within one answer."""

    record: Record
    candidate: Candidate
    boosts: Boosts
    exact: float  # see `exact.Exactness`
    score: float


def rank(
    candidates: Iterable[Candidate],
    records: Mapping[str, Record],
    settings: RankingSettings,
    exact: Exactness = NOTHING,
) -> list[Ranked]:
    """Chunks best first; equal scores by URL, then by place on the page. Pages of weight 0 are left out."""
    parts = [
        (record, candidate, boosts_of(record, settings), exact.of(record))
        for candidate in candidates
        if (record := records.get(candidate.id)) is not None and not record.weight <= 0
    ]
    # Pages may weigh more than 1; dividing by the most keeps scores in [0, 1] and the order as it is.
    most_exact = max((found for _, _, _, found in parts), default=0.0)
    scale = (1.0 + largest_sum(settings) + most_exact) * max((1.0, *(boosts.weight for _, _, boosts, _ in parts)))
    ranked = [
        Ranked(
            record,
            candidate,
            boosts,
            found,
            round((candidate.fused + boosts.links + boosts.depth + found) * boosts.weight / scale, _DIGITS),
        )
        for record, candidate, boosts, found in parts
    ]
    return sorted(ranked, key=order)


def order(chunk: Ranked) -> tuple[float, str, int, str]:
    """Sort key: the same order on every run, machine and backend."""
    return (-chunk.score, chunk.record.url, chunk.record.ordinal, chunk.record.id)
