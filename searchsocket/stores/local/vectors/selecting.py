"""Rows that a query may return."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.base.vectors import canonical
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.catalogue.facts import FactTable, LabelledRows
from searchsocket.stores.local.catalogue.records import path_bounds
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Rows
from searchsocket.text.storable import storable
from searchsocket.types import Filter

_MAX_CACHED_TAGS = 256


@dataclass(frozen=True, slots=True)
class RowSelection:
    """The rows that a query may return: all or some rows of a contiguous range."""

    start: int
    stop: int
    rows: Rows | None = None  # ascending, within the range; None = every row of it


class Selector:
    """Turns filters into rows; safe to share between threads."""

    def __init__(self, facts: FactTable, labelled: LabelledRows, hidden: Rows, damage: NamingDamage) -> None:
        self._facts = facts
        self._labelled = labelled
        self._hidden = hidden
        self._damage = damage
        self._tags = BoundedCache[str, Rows](_MAX_CACHED_TAGS)

    def select(self, where: Filter) -> RowSelection | None:
        """The rows that match a filter; None if there are none."""
        start, stop = 0, len(self._facts.weights)
        where = canonical(where)
        if where.path_prefix:
            start, stop = self._range_of(where.path_prefix)
        rows = self._below(where.directories) if where.directories else None
        for tag in dict.fromkeys(where.tags):
            tagged = self._tagged(storable(tag))
            rows = tagged if rows is None else np.intersect1d(rows, tagged, assume_unique=True)
        for group in groups_of(where):
            labelled = self._labelled.any_of(group)
            rows = self._visible(np.flatnonzero(labelled)) if rows is None else rows[labelled[rows]]
        if rows is not None:
            rows = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)]
        is_empty = start >= stop or (rows is not None and not len(rows))
        return None if is_empty else RowSelection(start, stop, rows)

    def mask(self, where: Filter) -> NDArray[np.bool_]:
        """True for each row that matches a filter; hidden rows may be included."""
        chosen, mask = self.select(where), np.zeros(len(self._facts.weights), np.bool_)
        if chosen is not None:
            mask[slice(chosen.start, chosen.stop) if chosen.rows is None else chosen.rows] = True
        return mask

    def _range_of(self, directory: str) -> tuple[int, int]:
        with self._damage:
            first, last = map(self._facts.first_row_from, path_bounds(directory))
        return first, last

    def _below(self, directories: Sequence[str]) -> Rows:
        """The visible rows in any of some directories, rising."""
        ranges = [np.arange(*self._range_of(directory)) for directory in directories]
        return self._visible(np.unique(np.concatenate(ranges)))

    def count(self, where: Filter) -> int:
        """The number of visible rows that match a filter."""
        chosen = self.select(where)
        if chosen is None:
            return 0
        if chosen.rows is not None:
            return len(chosen.rows)
        first, last = np.searchsorted(self._hidden, (chosen.start, chosen.stop)).tolist()
        return chosen.stop - chosen.start - int(last - first)

    def _tagged(self, tag: str) -> Rows:
        """Rows with a tag, without the hidden ones, rising; looked up once a reader."""
        rows = self._tags.values.get(tag)
        if rows is None:
            with self._damage:
                rows = self._visible(np.flatnonzero(self._labelled.tagged(tag)))
            self._tags.remember_one(tag, rows)
        return rows

    def _visible(self, rows: Rows) -> Rows:
        return np.setdiff1d(rows, self._hidden, assume_unique=True) if self._hidden.size else rows
