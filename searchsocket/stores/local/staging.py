"""What a run has changed so far: a SQLite file and a file of vectors beside the live generation."""

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from searchsocket.errors import BadVectors, EmbeddingModelMismatch
from searchsocket.stores.base import PageBody, check_vectors
from searchsocket.stores.local.catalogue.bodies import STAGED_TABLE, row_of_body
from searchsocket.stores.local.catalogue.records import KEPT_COLUMNS, KEPT_NAMES, PLACEHOLDERS, path_key, row_of
from searchsocket.stores.local.layout import REMOVED, STAGING
from searchsocket.system.files import make_folder
from searchsocket.text.storable import storable
from searchsocket.types import Record, Vectors

_NULLABLE = KEPT_COLUMNS.replace(" NOT NULL", "").replace("id TEXT", "id TEXT PRIMARY KEY", 1)
_TABLES = f"""
CREATE TABLE IF NOT EXISTS changes (slot INTEGER, sort BLOB, {_NULLABLE});
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
{STAGED_TABLE}
"""


class Staging:
    """The changes of one scope; a row without a slot is a deletion, and the last call about an id wins.

    It survives its process only by accident, so it is written without syncing: a new run starts by dropping it.
    """

    def __init__(self, scope_folder: Path) -> None:
        self.scope = scope_folder.name
        self.folder = scope_folder / STAGING
        make_folder(self.folder)
        self.database = self.folder / "changes.db"
        self.vectors = self.folder / "vectors.f32"
        self._connection = sqlite3.connect(self.database, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.executescript(_TABLES)

    def upsert(self, records: Sequence[Record], vectors: Vectors) -> None:
        """Stage a batch whole or not at all.

        Raises:
            BadVectors, EmbeddingModelMismatch: See `VectorStore.upsert`.
        """
        check_vectors(vectors, len(records))
        if not records:
            return
        dimensions = self._same("dimensions", str(vectors.shape[1]))
        if dimensions != str(vectors.shape[1]):
            raise BadVectors(f"this run staged vectors of {dimensions} dimensions before, now of {vectors.shape[1]}")
        for model_id in sorted({record.model_id for record in records}):
            if (first := self._same("model_id", model_id)) != model_id:
                raise EmbeddingModelMismatch(records[0].scope, first, model_id)
        first_slot = int(self.fact("slots") or 0)
        with open(self.vectors, "r+b" if self.vectors.exists() else "w+b") as file:
            file.seek(first_slot * vectors.shape[1] * 4)
            file.write(np.ascontiguousarray(vectors).data)
        rows = [(first_slot + i, path_key(record.page.url), *row_of(record)) for i, record in enumerate(records)]
        self._connection.execute("BEGIN")
        try:
            self._connection.executemany(
                f"INSERT OR REPLACE INTO changes (slot, sort, {KEPT_NAMES}) VALUES (?, ?, {PLACEHOLDERS})", rows
            )
            self._connection.execute(
                "INSERT OR REPLACE INTO facts VALUES ('slots', ?)", (str(first_slot + len(records)),)
            )
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back by itself
                self._connection.execute("ROLLBACK")
            raise

    def delete(self, ids: Sequence[str]) -> None:
        """Stage deletions whole or not at all."""
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "INSERT OR REPLACE INTO changes (id) VALUES (?)", [(storable(id_),) for id_ in ids]
        )
        self._connection.execute("COMMIT")

    def put_bodies(self, bodies: Sequence[PageBody]) -> None:
        """Stage texts of pages whole or not at all."""
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT OR REPLACE INTO bodies VALUES (?, ?, ?)", map(row_of_body, bodies))
        self._connection.execute("COMMIT")

    def fact(self, name: str) -> str:
        """`dimensions`, `model_id` or number of `slots` of what is staged; "" when only deletions are."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def counts(self) -> tuple[int, int]:
        """Upserts and deletions."""
        upserts, rows = self._connection.execute("SELECT count(slot), count(*) FROM changes").fetchone()
        return int(upserts), int(rows) - int(upserts)

    def holds_bodies(self) -> bool:
        """Whether texts of pages are staged."""
        return bool(self._connection.execute("SELECT EXISTS (SELECT 1 FROM bodies)").fetchone()[0])

    def close(self) -> None:
        """Release the file; what is staged stays."""
        self._connection.close()

    def _same(self, name: str, value: str) -> str:
        """The first value that this run stated."""
        self._connection.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, value))
        return self.fact(name)


def discard(scope_folder: Path) -> None:
    """Drop what is staged, whoever staged it."""
    folder = scope_folder / STAGING
    if folder.exists():
        gone = scope_folder / f"{REMOVED}staging"
        shutil.rmtree(gone, ignore_errors=True)
        os.replace(folder, gone)  # at once, so that no later run meets half of it
        shutil.rmtree(gone, ignore_errors=True)
