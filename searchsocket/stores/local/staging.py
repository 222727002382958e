"""Staged changes of a run: a SQLite file and a file of vectors next to the live generation."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from searchsocket.errors import StateUnavailable
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.vector_store import Model, RecordRows, check_batch
from searchsocket.stores.base.vectors import check_vectors
from searchsocket.stores.local.catalogue.bodies import STAGED_TABLE, row_of_body
from searchsocket.stores.local.catalogue.columns import as_text, record_of
from searchsocket.stores.local.catalogue.records import (
    PLACEHOLDERS,
    STAGED_COLUMNS,
    STAGED_FIELDS,
    STAGED_NAMES,
)
from searchsocket.stores.local.layout import MANIFEST, REMOVED, STAGING, read_manifest
from searchsocket.stores.local.numbering import Ids
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.vectors.matrix import map_matrix
from searchsocket.stores.words.pack_words import PackWords, write_words
from searchsocket.system.files import link_file, make_folder
from searchsocket.text.hidden import storable
from searchsocket.types import Generation, Record, Renamed, Vector, Vectors

_NULLABLE = STAGED_COLUMNS.replace(" NOT NULL", "").replace("id TEXT", "id TEXT PRIMARY KEY", 1)
_TABLES = f"""
CREATE TABLE IF NOT EXISTS changes (slot INTEGER, sort BLOB, {_NULLABLE});
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
{STAGED_TABLE}
"""


def link_generation(source: Path, target: Path) -> None:
    """Link the files of a generation into a second folder, so that they stay when the first one is deleted.

    Raises:
        FileNotFoundError: The generation was removed.
        IndexCorrupt: Its manifest is damaged.
    """
    target.mkdir()
    for name in [*read_manifest(source).files, MANIFEST]:
        path = target / name
        path.parent.mkdir(exist_ok=True)
        link_file(source / name, path)


class Staging:
    """The changes of one scope; a row without a slot is a deletion, and the last call about an id wins.

    It is written without syncing, since no later run uses it: a new run first deletes it.
    """

    def __init__(self, scope_folder: Path) -> None:
        self.scope = scope_folder.name
        self.folder = scope_folder / STAGING
        make_folder(self.folder)
        self.database = self.folder / "changes.db"
        self.vectors = self.folder / "vectors.f32"
        self.origin: LocalReader | None = None  # another scope's generation, linked here so that its files stay
        self.new_ids: Ids = np.empty(0, "S1")  # of each row of the origin: its id in this scope; b"" = not reused
        self.origin_was_tried = False
        self._connection = sqlite3.connect(self.database, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.executescript(_TABLES)

    def upsert(self, batch: RecordRows, vectors: Vectors) -> None:
        """Stage a batch whole or not at all.

        Raises:
            BadVectors, EmbeddingModelMismatch: See `VectorStore.upsert`.
        """
        check_vectors(vectors, len(batch.rows))
        if not batch.rows:
            return
        model_id, dimensions = batch.model_id, vectors.shape[1]
        check_batch(self.scope, (model_id, dimensions), self.model())
        first_slot = int(self._fact("slots") or 0)
        with open(self.vectors, "r+b" if self.vectors.exists() else "w+b") as file:
            file.seek(first_slot * dimensions * 4)
            file.write(np.ascontiguousarray(vectors).data)
        path = self._words_of(first_slot)
        path.unlink(missing_ok=True)  # of a batch that could not be staged
        write_words(path, [(batch.words, np.arange(len(batch.rows)))], len(batch.rows))
        rows = [(first_slot + i, *row) for i, row in enumerate(batch.rows)]
        self._connection.execute("BEGIN")
        try:
            self._connection.executemany(
                f"INSERT OR REPLACE INTO changes (slot, sort, {STAGED_NAMES}) VALUES (?, ?, {PLACEHOLDERS})", rows
            )
            facts = {"model_id": model_id, "dimensions": dimensions, "slots": first_slot + len(rows)}
            self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back by itself
                self._connection.execute("ROLLBACK")
            raise

    def begin_from(self, generation: Path, opened: Callable[[Path], LocalReader]) -> None:
        """Link another scope's generation.

        Raises:
            FileNotFoundError: The generation was removed.
            IndexCorrupt, ProjectMismatch: See `LocalReader`.
        """
        self.origin_was_tried = True
        folder = self.folder / "origin"
        link_generation(generation, folder)
        self.origin = opened(folder)
        self.new_ids = np.zeros(len(self.origin.numbering), "S1")

    def copy_from_scope(self, records: Sequence[Renamed]) -> list[str]:
        """Stage the records that the origin contains with the same hash; return their new ids."""
        if self.origin is None:
            return []
        rows = self.origin.numbering.rows_or_none([record.origin_id for record in records])
        hashes = self.origin.numbering.hashes_of(rows)
        equal = [row >= 0 and hashes[i] == records[i].record_hash for i, row in enumerate(rows.tolist())]
        ids = [record.id for record, is_equal in zip(records, equal, strict=True) if is_equal]
        encoded = np.array([storable(id_).encode() for id_ in ids], np.bytes_)
        self.new_ids = self.new_ids.astype(np.result_type(self.new_ids, encoded), copy=False)  # as wide as the longest
        self.new_ids[rows[equal]] = encoded
        return ids

    def delete(self, ids: Sequence[str]) -> None:
        """Stage deletions whole or not at all."""
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "INSERT OR REPLACE INTO changes (id) VALUES (?)", [(storable(id_),) for id_ in ids]
        )
        self._connection.execute("COMMIT")

    def stage_bodies(self, bodies: Sequence[PageBody]) -> None:
        """Stage texts of pages whole or not at all."""
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT OR REPLACE INTO bodies VALUES (?, ?, ?, ?)", map(row_of_body, bodies))
        self._connection.execute("COMMIT")

    def _fact(self, name: str) -> str:
        """The `dimensions`, `model_id` or number of `slots` of the staged records; "" if only deletions are staged."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def model(self) -> Model | None:
        """The embedding model of the upserts of this run; None without upserts."""
        model_id = self._fact("model_id")
        return (model_id, int(self._fact("dimensions"))) if model_id else None

    def counts(self) -> tuple[int, int]:
        """The numbers of upserts and deletions."""
        upserts, rows = self._connection.execute("SELECT count(slot), count(*) FROM changes").fetchone()
        return int(upserts), int(rows) - int(upserts)

    def matrix(self, dimensions: int) -> Vectors:
        """The vectors of all slots; an empty matrix with `dimensions` columns if nothing was upserted.

        Raises:
            StateUnavailable: The file is truncated.
        """
        if not self.counts()[0]:
            return np.empty((0, dimensions), np.float32)
        slots, staged_dimensions = int(self._fact("slots")), int(self._fact("dimensions"))
        if self.vectors.stat().st_size < slots * staged_dimensions * 4:
            raise StateUnavailable(f"{self.vectors} is incomplete; run again")
        return map_matrix(self.vectors, slots, staged_dimensions)

    def words(self) -> Sequence[PackWords]:
        """The words of the records of all slots, in the order of these.

        Raises:
            OSError, ValueError, LookupError, TypeError: A file is missing or damaged.
        """
        words, slots = list[PackWords](), int(self._fact("slots") or 0)
        while (first := sum(word.records for word in words)) < slots:
            words.append(PackWords.open(self._words_of(first)))
            words[-1].forget_pages()  # a header maps 64 kB, and a large site has a thousand files
        return words

    def _words_of(self, first_slot: int) -> Path:
        """The words of the batch that begins at this slot."""
        return self.folder / f"words-{first_slot}"

    def upserts(self, generation: Generation) -> Iterator[tuple[Record, Vector]]:
        """Stream the staged records of a generation, each with its vector, in ascending order of id."""
        matrix = self.matrix(generation.dimensions)
        rows = self._connection.execute(f"SELECT slot, {STAGED_FIELDS} FROM changes WHERE slot IS NOT NULL ORDER BY id")
        for slot, *row in rows:
            yield record_of(row, generation), matrix[slot]

    def deletions(self) -> list[str]:
        """The ids of staged deletions, in ascending order."""
        return [id_ for (id_,) in self._connection.execute("SELECT id FROM changes WHERE slot IS NULL ORDER BY id")]

    def changed_ids(self) -> list[str]:
        """The ids of staged upserts and deletions."""
        return [id_ for (id_,) in self._connection.execute("SELECT id FROM changes")]

    def upserted(self) -> Iterator[tuple[str, str, int]]:
        """Id, record hash and slot of each staged upsert, in ascending order of id."""
        rows = self._connection.execute("SELECT id, record_hash, slot FROM changes WHERE slot IS NOT NULL ORDER BY id")
        return ((id_, as_text(record_hash), slot) for id_, record_hash, slot in rows)

    def forget(self, ids: Sequence[str]) -> None:
        """Unstage changes."""
        self._connection.execute("BEGIN")
        self._connection.executemany("DELETE FROM changes WHERE id = ?", ((id_,) for id_ in ids))
        self._connection.execute("COMMIT")

    def holds_bodies(self) -> bool:
        """Return True if page texts are staged."""
        return bool(self._connection.execute("SELECT EXISTS (SELECT 1 FROM bodies)").fetchone()[0])

    def close(self) -> None:
        """Close the database; staged changes stay on the disk."""
        self.origin = None
        self._connection.close()


def discard(scope_folder: Path) -> None:
    """Delete all staged changes of a scope, also those of another process."""
    folder = scope_folder / STAGING
    if folder.exists():
        gone = scope_folder / f"{REMOVED}staging"
        shutil.rmtree(gone, ignore_errors=True)
        os.replace(folder, gone)  # one rename, so that no later run reads half of it
        shutil.rmtree(gone, ignore_errors=True)
