"""Choose rows of a remote index: enough rows for a correct answer, and one row per record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from searchsocket.stores.base.vectors import Written
from searchsocket.types import Vector

_MARGIN_ROWS = 16  # requested beyond top_k, because rows of equal score are ordered here, by id
_MARGIN_SCORE = 1e-5  # far above the rounding of a server's float32


@dataclass(frozen=True, slots=True)
class RowHit:
    """A row that a remote index returned; it may belong to the generation before, whose end is not visible yet."""

    id: str
    born: int  # the number of the generation that wrote it
    score: float  # as the server computed it
    vector: Sequence[float] | Vector | None = None  # None: not returned
    note: str = ""  # of `TableRow`


def max_top_k(limit: int) -> int:
    """The largest `top_k` of an index that returns at most `limit` rows."""
    return limit - _MARGIN_ROWS


def newest(rows: Sequence[RowHit], written: Written) -> Mapping[str, RowHit]:
    """One row per record, by id: the newest, and none that is older than its record."""
    by_id: dict[str, RowHit] = {}
    for row, since in zip(rows, written([row.id for row in rows]), strict=True):
        if row.born >= since and (row.id not in by_id or row.born > by_id[row.id].born):
            by_id[row.id] = row
    return by_id


def nearest(ask: Callable[[int], Sequence[RowHit]], top_k: int, limit: int, written: Written) -> Mapping[str, RowHit]:
    """Enough rows that their best `top_k` are those of the whole index, for any order of equal scores.

    Args:
        ask: Returns at most so many of the nearest rows, best first.
        limit: The most rows that the index returns at once.
        written: See `VectorIndex.open`.
    """
    count = min(top_k + _MARGIN_ROWS, limit)
    while True:
        rows = ask(count)
        by_id = newest(rows, written)
        if len(rows) < count or count >= limit:
            return by_id
        scores = sorted((row.score for row in by_id.values()), reverse=True)
        if len(scores) >= top_k and rows[-1].score < scores[top_k - 1] - _MARGIN_SCORE:
            return by_id
        count = min(4 * count, limit)  # too many rows have equal scores, appear twice or have ended
