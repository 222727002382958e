"""Rows that an index elsewhere shows: as many as no answer can be without, and one a record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from searchsocket.stores.base.vectors import Written

_MARGIN_ROWS = 16  # asked for beyond top_k: those that score alike are ordered here, by id
_MARGIN_SCORE = 1e-5  # far above the rounding of a server's float32


@dataclass(frozen=True, slots=True)
class Shown:
    """A row of a generation, or one that ended with the generation before and is shown a moment longer."""

    id: str
    born: int  # the number of the generation that wrote it
    score: float  # as the server computed it
    vector: Sequence[float] | None = None  # None: it did not come along


def max_top_k(limit: int) -> int:
    """Number of hits that an index can promise if it shows this many rows at once."""
    return limit - _MARGIN_ROWS


def newest(rows: Sequence[Shown], written: Written) -> Mapping[str, Shown]:
    """One row a record, by id: of two that are shown the later one counts, and none that is older than its record."""
    found: dict[str, Shown] = {}
    for row, since in zip(rows, written([row.id for row in rows]), strict=True):
        if row.born >= since and (row.id not in found or row.born > found[row.id].born):
            found[row.id] = row
    return found


def nearest(ask: Callable[[int], Sequence[Shown]], top_k: int, limit: int, written: Written) -> Mapping[str, Shown]:
    """Rows of which the best `top_k`, however those that score alike are ordered, are those of the whole index.

    Args:
        ask: So many of the nearest rows at most, best first.
        limit: How many rows the index shows at once.
        written: See `VectorIndex.open`.
    """
    count = min(top_k + _MARGIN_ROWS, limit)
    while True:
        shown = ask(count)
        found = newest(shown, written)
        if len(shown) < count or count >= limit:
            return found
        scores = sorted((row.score for row in found.values()), reverse=True)
        if len(scores) >= top_k and shown[-1].score < scores[top_k - 1] - _MARGIN_SCORE:
            return found
        count = min(4 * count, limit)  # so many score alike, twice, or have ended, that it matters which of them came
