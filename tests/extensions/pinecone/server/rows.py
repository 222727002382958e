"""The rows of one namespace, as two readers see them: each some requests late, and writes in any order.

docs: guides/index-data/check-data-freshness. "Pinecone is eventually consistent, so there can be a slight delay before
new or changed records are visible to queries." "When you make a write request to a serverless index namespace, Pinecone
assigns a monotonically increasing log sequence number (LSN) to the write operation. If the LSN contained in the query
response header is greater than or equal to the LSN of the relevant write operation, then that operation is reflected in
the query response." The client's own words: "fetch and search see a new write at different times".
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Row:
    vector: NDArray[np.float32]  # "Pinecone stores vector values as 32-bit floats"
    metadata: dict[str, Any]


Change = Callable[[Row | None], Row | None]  # None: there is none


@dataclass(slots=True)
class _Write:
    lsn: int
    changes: dict[str, Change]  # by id
    due: int


class View:
    """What one kind of reader sees. Time is counted in requests, so that it is the same on each run."""

    def __init__(self, seed: int, max_lag: int) -> None:
        self.rows: dict[str, Row] = {}
        self.max_lag = max_lag  # requests until a write is seen; below 0: none ever is
        self._random = random.Random(seed)
        self._pending: list[_Write] = []
        self._last = 0
        self._matrix: tuple[list[str], NDArray[np.float32]] | None = None

    @property
    def reconciled(self) -> int:
        """All writes up to this one are seen, and perhaps some behind it."""
        return min((write.lsn for write in self._pending), default=self._last + 1) - 1

    def accept(self, lsn: int, changes: dict[str, Change], now: int) -> None:
        lag = self._random.randint(0, self.max_lag) if self.max_lag >= 0 else 10**9
        # Changes of one row are seen in their order.
        after = [write.due for write in self._pending if not write.changes.keys().isdisjoint(changes)]
        self._pending.append(_Write(lsn, changes, max([now + lag, *after])))
        self._last = lsn
        self.settle(now)

    def settle(self, now: int) -> None:
        due = [write for write in self._pending if write.due <= now]
        if not due:
            return
        self._pending = [write for write in self._pending if write.due > now]
        for write in sorted(due, key=lambda write: write.lsn):
            for row_id, change in write.changes.items():
                row = change(self.rows.pop(row_id, None))
                if row is not None:
                    self.rows[row_id] = row
        self._matrix = None

    def catch_up(self) -> None:
        """All that was accepted is seen with the next request, and all that will be at once."""
        self.max_lag = 0
        for write in self._pending:
            write.due = 0

    def matrix(self) -> tuple[list[str], NDArray[np.float32]]:
        if self._matrix is None:
            self._matrix = list(self.rows), np.array([row.vector for row in self.rows.values()], np.float32)
        return self._matrix

    def all_ids(self) -> set[str]:
        """Also of rows that are not seen yet."""
        return {*self.rows, *(row_id for write in self._pending for row_id in write.changes)}


@dataclass(slots=True)
class Namespace:
    seed: int
    max_lag: int
    searches: View = field(init=False)
    fetches: View = field(init=False)
    written: int = 0  # rows, since it was made
    _lsn: int = 0
    _now: int = 0

    def __post_init__(self) -> None:
        self.searches = View(self.seed, self.max_lag)
        self.fetches = View(self.seed + 1, self.max_lag)

    def tick(self) -> None:
        """A request comes in."""
        self._now += 1
        self.searches.settle(self._now)
        self.fetches.settle(self._now)

    def write(self, changes: dict[str, Change]) -> int:
        """Accept a write; its place in the log."""
        self._lsn += 1
        self.written += len(changes)
        for view in (self.searches, self.fetches):
            view.accept(self._lsn, changes, self._now)
        return self._lsn
