"""The rows of an index on another machine compared with the records of a generation, and made the same again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from searchsocket.stores.base.reader import IndexReader
from searchsocket.stores.base.upkeep import VectorUpkeep
from searchsocket.stores.base.vectors import VectorRow, row_of
from searchsocket.system.batches import batches
from searchsocket.types import Record, Vector

_BATCH = 500
KnownVectors = Callable[[Sequence[Record]], Mapping[str, Vector]]  # by id, of those records whose vector is at hand


class KeptReader(IndexReader, Protocol):
    """A reader of a generation that knows when each of its rows was written elsewhere."""

    def written(self, ids: Sequence[str]) -> Sequence[int]:
        """See `Written`."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How the rows that a generation sees differ from its records, by id."""

    missing: Sequence[str] = ()  # records without a row
    # Records whose row says something else, or is older than they are, which no answer has.
    different: Sequence[str] = ()
    surplus: Sequence[str] = ()  # rows of no record, or one more of a record that has one
    unknown: int = 0  # records whose vector is not at hand: whether there is a row is all that was compared

    def __bool__(self) -> bool:
        return bool(self.missing or self.different or self.surplus)

    def __str__(self) -> str:
        parts = (("missing", self.missing), ("different", self.different), ("of something else", self.surplus))
        return ", ".join(f"{len(ids):,} {what}" for what, ids in parts if ids)


def drift_of(reader: KeptReader, index: VectorUpkeep, known: KnownVectors) -> Drift:
    """Compare every record of a generation with its row; holds 100 bytes a record.

    Raises:
        VectorBackendUnavailable: The index cannot be reached.
    """
    held: dict[str, tuple[bytes, int]] = {}
    surplus: list[str] = []
    for row in index.held(reader.generation):
        if row.id in held:
            surplus.append(row.id)
        held[row.id] = row.digest, row.born
    missing: list[str] = []
    different: list[str] = []
    unknown = 0
    for ids in batches((id_ for id_, _ in _fingerprints(reader)), _BATCH):
        rows = {row.id: index.digest(row) for row in _rows(reader, ids, known)}
        unknown += len(ids) - len(rows)
        for id_, since in zip(ids, reader.written(ids), strict=True):
            if id_ not in held:
                missing.append(id_)
                continue
            digest, born = held.pop(id_)
            if born < since or rows.get(id_, digest) != digest:
                different.append(id_)
    return Drift(missing, different, [*surplus, *held], unknown)


@dataclass(frozen=True, slots=True)
class Resynced:
    """What was wrong with the rows elsewhere."""

    problems: tuple[str, ...] = ()  # with what holds them
    written: int = 0
    deleted: int = 0
    lacking: int = 0  # records that have no row, or a wrong one, still: their vector is not at hand


def resynced(readers: Sequence[KeptReader], index: VectorUpkeep, known: KnownVectors) -> Resynced:
    """Make the rows that generations see those of their records again; nothing is embedded, no row is written twice.

    Args:
        readers: Of all generations of a scope that are kept, in their order.
    """
    deleted = written = 0
    lacking: set[str] = set()
    for reader in reversed(readers):
        drift = drift_of(reader, index, known)
        wrong = [*drift.different, *drift.surplus]
        index.erase(reader.generation, wrong)
        deleted += len(wrong)
    for at, reader in enumerate(readers):
        missing = drift_of(reader, index, known).missing
        for end, ids in _by_end(missing, readers[at:]).items():
            until = readers[at + end].generation if end else None
            for later in readers[at + 1 : at + end if end else None]:
                late = _late(later, index, ids, known)
                index.erase(later.generation, late)
                deleted += len(late)
            done: set[str] = set()
            index.restore(reader.generation, _noted(reader, ids, known, done), until)
            written += len(done)
            lacking.update(set(ids) - done)
    return Resynced((), written, deleted, len(lacking))


def _late(reader: KeptReader, index: VectorUpkeep, ids: Sequence[str], known: KnownVectors) -> list[str]:
    """Records whose row began with this generation or before it, and too late; those that can be written again."""
    there = {row.id for row in index.held(reader.generation)}.intersection(ids)
    return [row.id for some in batches(sorted(there), _BATCH) for row in _rows(reader, some, known)]


def _by_end(ids: Sequence[str], readers: Sequence[IndexReader]) -> Mapping[int, list[str]]:
    """Records of the first of these generations, by the place of the first one that has not the same; 0: all have."""
    found: dict[int, list[str]] = {}
    if ids:
        hashes = dict(_fingerprints(readers[0]))
        later = [set(_fingerprints(reader)) for reader in readers[1:]]
        for id_ in ids:
            end = next((at for at, held in enumerate(later, 1) if (id_, hashes[id_]) not in held), 0)
            found.setdefault(end, []).append(id_)
    return found


def _noted(reader: IndexReader, ids: Sequence[str], known: KnownVectors, done: set[str]) -> Iterator[VectorRow]:
    """The rows of records; notes in `done` which there are."""
    for some in batches(ids, _BATCH):
        rows = _rows(reader, some, known)
        done.update(row.id for row in rows)
        yield from rows


def _fingerprints(reader: IndexReader) -> Iterator[tuple[str, str]]:
    after = ""
    while pairs := reader.catalogue.fingerprints(after, _BATCH):
        yield from pairs
        after = pairs[-1][0]


def _rows(reader: IndexReader, ids: Sequence[str], known: KnownVectors) -> list[VectorRow]:
    """The rows as they should be, of those records whose vector is at hand."""
    records = reader.catalogue.records(ids)
    vectors = known(records)
    return [row_of(record, vectors[record.id]) for record in records if record.id in vectors]
