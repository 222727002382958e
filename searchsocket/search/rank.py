"""The order of chunks: fused score, boosts, page weight, and a rule for every tie."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from searchsocket.search.boosts import Boosts, boosts_of, largest_sum
from searchsocket.search.fusion import Candidate
from searchsocket.settings.model import RankingSettings
from searchsocket.types import Record

# Scores that differ by less come from the order in which a machine adds, not from the texts.
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk with its score in [0, 1], comparable only within one answer."""

    record: Record
    candidate: Candidate
    boosts: Boosts
    score: float


def rank(candidates: Iterable[Candidate], records: Mapping[str, Record], settings: RankingSettings) -> list[Ranked]:
    """Chunks best first; equal scores by URL, then by place on the page. Pages of weight 0 are left out."""
    parts = [
        (records[candidate.id], candidate, boosts_of(records[candidate.id], settings))
        for candidate in candidates
        if candidate.id in records and not records[candidate.id].weight <= 0
    ]
    # Pages may weigh more than 1; dividing by the most keeps scores in [0, 1] and the order as it is.
    scale = (1.0 + largest_sum(settings)) * max((1.0, *(boosts.weight for _, _, boosts in parts)))
    ranked = [
        Ranked(
            record,
            candidate,
            boosts,
            round((candidate.fused + boosts.links + boosts.depth) * boosts.weight / scale, _DIGITS),
        )
        for record, candidate, boosts in parts
    ]
    return sorted(ranked, key=order)


def order(chunk: Ranked) -> tuple[float, str, int, str]:
    """Sort key: the same order on every run, machine and backend."""
    return (-chunk.score, chunk.record.url, chunk.record.ordinal, chunk.record.id)
