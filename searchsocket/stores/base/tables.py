"""Interface of a store of another package: tables of rows, each with a vector, in any database.

`TableVectors` implements generations, filters, order and maintenance on top of it. A store only implements how its
database writes, ends, deletes, finds and counts rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from searchsocket.stores.base.conditions import Conditions
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.vectors import Finding
from searchsocket.types import Vector


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: a record, from the generation that wrote it (`born`) to the one that ended it (`died`)."""

    key: str  # unique, 32 hexadecimal digits
    vector: Vector
    project: str
    scope: str
    record: str
    born: int
    died: int
    hidden: int  # 1 = never found by a query
    directories: tuple[str, ...]
    tags: tuple[str, ...]
    labels: tuple[str, ...]
    note: str = ""  # of rows that describe a scope


# Name -> type of the fields that conditions use; `note` is only stored, and the vector has a column of its own.
FIELDS: Mapping[str, type] = {
    "project": str, "scope": str, "record": str, "born": int, "died": int, "hidden": int, "directories": tuple,
    "tags": tuple, "labels": tuple,
}  # fmt: skip


class VectorTable(Protocol):
    """The rows of one number of dimensions. Reading a table that does not exist raises `VectorBackendRefused`."""

    def upsert(self, rows: Sequence[TableRow]) -> None:
        """Write at most 500 rows; a row with the key of another replaces it."""

    def end(self, where: Conditions, died: int) -> None:
        """Set the field `died` of all matching rows."""

    def delete(self, where: Conditions) -> None:
        """Delete all matching rows."""

    def nearest(self, vector: Vector, *, limit: int, where: Conditions) -> Sequence[RowHit]:
        """Return at most `limit` matching rows with their vectors, by falling inner product with a unit vector."""

    def rows(self, where: Conditions) -> Sequence[RowHit]:
        """Return all matching rows with their vectors and notes, in any order."""

    def count(self, where: Conditions) -> int:
        """The number of matching rows."""


class VectorTables(Protocol):
    """One database. Its client is imported and connected at the first call.

    Errors of the database are `VectorBackendUnavailable` if the call may succeed later, else `VectorBackendRefused`.
    They contain no key and no password. Queries come from several threads.
    """

    max_rows: int  # of one answer of `nearest`
    tolerance: float  # largest difference between a number read and the number written
    index: str  # see `VectorLimits`; `EXACT` if `nearest` compares all rows, as it does by default

    def dimensions(self) -> Sequence[int]:
        """The numbers of dimensions of which there is a table."""

    def create(self, dimensions: int) -> None:
        """Create the table if it does not exist, and its index as the settings require. Each run calls it."""

    def table(self, dimensions: int) -> VectorTable:
        """The table of vectors with this number of dimensions; calls nothing."""

    def begin(self) -> None:
        """Start a group of writes. A database with transactions drops an earlier group that was not sealed.

        A group deletes rows after its upserts, and ends only rows of earlier groups or of a run that died.
        """

    def seal(self) -> None:
        """Return once all writes since `begin` are durable and visible to every reader."""

    def drop(self, dimensions: int) -> None:
        """Delete a table that has no rows left, if it exists."""


@runtime_checkable
class ExaminedTables(VectorTables, Protocol):
    """A database that also reports what a person must fix, such as a table of its name that another program made."""

    def problems(self) -> Sequence[Finding]:
        """All problems other than missing rows."""
