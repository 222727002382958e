"""The numbers of a generation's records; `stores/local/__init__` says what each is for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import RecordsMissing
from searchsocket.stores.bounded import BoundedCache
from searchsocket.text.storable import storable

Rows = NDArray[np.int64]  # where vectors and facts lie
Docs = NDArray[np.integer]  # what records.db and the words know records by

_MAX_HITS = 8_192  # ids whose rows are remembered


class Numbering:
    """Ids, rows and docs of one generation, each by the others; safe to share between threads."""

    def __init__(self, ids: NDArray[np.bytes_], docs: NDArray[np.uint32], max_doc: int) -> None:
        """Args: ids, docs: those of each row; max_doc: no doc is above it."""
        count = len(ids)
        self.ids = ids
        self.docs = docs
        self._row_of_doc = np.full(max_doc + 1, -1, np.int64)
        self._row_of_doc[docs] = np.arange(count)
        self._rows_by_id: Rows = np.argsort(ids, kind="stable")
        self.id_order: NDArray[np.uint32] = np.empty(count, np.uint32)  # of each row: rises as ids do
        self.id_order[self._rows_by_id] = np.arange(count)
        self._row_of = BoundedCache[str, int](_MAX_HITS)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def docs_by_id(self) -> NDArray[np.uint32]:
        """All docs, by rising id."""
        return self.docs[self._rows_by_id]

    def ids_of(self, rows: Rows) -> list[str]:
        """The ids of rows; whoever gets these asks for more about them, so their rows are remembered."""
        ids = [id_.decode() for id_ in self.ids[rows].tolist()]
        self._row_of.remember(dict(zip(ids, rows.tolist(), strict=True)))
        return ids

    def rows_of(self, ids: Sequence[str]) -> Rows:
        """The row of each id.

        Raises:
            RecordsMissing: There is no such record.
        """
        rows = self.rows_or_none(ids)
        if len(unknown := np.flatnonzero(rows < 0)):
            raise RecordsMissing([ids[unknown[0]]])
        return rows

    def docs_of(self, ids: Sequence[str]) -> list[int]:
        """The doc of each id.

        Raises:
            RecordsMissing: There is no such record.
        """
        docs: list[int] = self.docs[self.rows_of(ids)].tolist()
        return docs

    def rows_of_docs(self, docs: Sequence[int] | NDArray[Any]) -> Rows:
        """The row of each doc."""
        return self._row_of_doc[np.asarray(docs, np.int64)]

    def rows_or_none(self, ids: Sequence[str]) -> Rows:
        """-1 where there is no such record."""
        row_of = self._row_of.values
        rows = np.array([row_of.get(id_, -1) for id_ in ids], np.int64)
        others = np.flatnonzero(rows < 0)
        if len(others) and len(self.ids):
            keys = np.array([storable(ids[i]).encode() for i in others.tolist()])
            after = np.searchsorted(self.ids, keys, sorter=self._rows_by_id)
            candidates = self._rows_by_id[np.minimum(after, len(self.ids) - 1)]
            rows[others] = np.where(self.ids[candidates] == keys, candidates, -1)
        return rows
