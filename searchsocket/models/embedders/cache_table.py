"""The tables of the embedding cache: read rows with checksums, write them in transactions."""

import sqlite3
import threading
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from searchsocket.errors import BadVectors, StateUnavailable
from searchsocket.events import Event, OnEvent
from searchsocket.models.embedders import cache_file
from searchsocket.models.embedders.base import is_uncached

MAX_HASHES = 500  # in one statement
Row = tuple[bytes, bytes, int, int]  # content hash, vector, tokens, checksum


class CacheTable:
    """An open cache file; threads take turns. Converts SQLite's errors and reports damage.

    Raises:
        StateUnavailable: The file cannot be opened, or a newer version of this program wrote it. Every method may
            raise it too: the file cannot be read or written.
    """

    def __init__(self, path: Path, *, read_only: bool, on_event: OnEvent) -> None:
        self.path = path
        self.read_only = read_only
        self.warnings: list[str] = []  # about damage
        self._on_event = on_event
        self._lock = threading.Lock()
        self._damaged: set[tuple[str, str]] = set()  # (content hash, model): rows that the next ones replace
        opened = cache_file.open_read_only(path) if read_only else cache_file.open_writable(path)
        self._db = opened.connection
        self._inode = opened.inode
        if opened.damage:
            self._warn(opened.damage)

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection in a transaction, for this thread only."""
        with self._lock, self._typed_errors(), _transaction(self._db):
            yield self._db

    def rows(self, hashes: Sequence[str], model_id: str, used: "array[int]") -> dict[str, Row]:
        """Return the sound rows among at most `MAX_HASHES` hashes; damaged ones are reported and left out.

        Args:
            used: Collects the row ids of the returned rows.
        """
        marks = ",".join("?" * len(hashes))
        query = (
            "SELECT hash, vector, tokens, checksum, dimensions, vectors.rowid FROM vectors "
            f"JOIN models ON models.id = model WHERE name = ? AND hash IN ({marks})"
        )
        rows = self.fetch(query, (model_id, *map(bytes.fromhex, hashes)))
        rows_by_key: dict[str, Row] = {}
        for *row, dimensions, rowid in rows:
            key = row[0].hex()
            if is_sound(row, model_id, dimensions):
                rows_by_key[key] = (row[0], row[1], row[2], row[3])
                used.append(rowid)
            elif (key, model_id) not in self._damaged:
                self._damaged.add((key, model_id))
                self._warn(f"the embedding {key} of {model_id!r} in {self.path} is damaged and is embedded again")
        return rows_by_key

    def fetch(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query; no rows if the file is damaged and open for reading only."""
        with self._lock, self._typed_errors():
            try:
                return self._db.execute(query, values).fetchall()
            except sqlite3.Error as error:
                if not (self.read_only and cache_file.is_damage(error)):
                    raise
                # A reader sees an empty cache; the next writer renames the file.
                if not self.warnings:
                    self._warn(f"{self.path} is damaged ({error}); the next run rebuilds it")
                return []

    def insert(
        self, model_id: str, dimensions: int, rows: Sequence[tuple[bytes, bytes, int]], *, day: int | None = None
    ) -> int:
        """Add (hash, vector, tokens) in one transaction; a stored row stays, unless it is damaged.

        Args:
            day: Day of their use; None = not used yet.

        Returns:
            The number of added rows.

        Raises:
            BadVectors: The model's other vectors have another length.
        """
        damaged = [row[0] for row in rows if (row[0].hex(), model_id) in self._damaged]
        with self.writing() as db:
            model = self._model(model_id, dimensions)
            db.executemany("DELETE FROM vectors WHERE hash = ? AND model = ?", [(key, model) for key in damaged])
            before = db.total_changes
            db.executemany(
                "INSERT OR IGNORE INTO vectors (hash, model, vector, tokens, checksum) VALUES (?, ?, ?, ?, ?)",
                [(key, model, vector, tokens, zlib.crc32(vector, zlib.crc32(key))) for key, vector, tokens in rows],
            )
            added = db.total_changes - before
            if day is not None:
                db.executemany(
                    "INSERT OR REPLACE INTO uses SELECT rowid, ? FROM vectors WHERE model = ? AND hash = ?",
                    [(day, model, row[0]) for row in rows],
                )
        self._damaged.difference_update((key.hex(), model_id) for key in damaged)
        return added

    def note_uses(self, rowids: Iterable[int], day: int) -> None:
        """Store the day on which rows were used; errors are ignored."""
        with suppress(sqlite3.Error), self._lock, _transaction(self._db):
            uses = ((rowid, day) for rowid in rowids)
            self._db.executemany("INSERT OR REPLACE INTO uses (id, day) VALUES (?, ?)", uses)

    def remove(self, model_id: str | None, last_day: int, limit: int) -> int:
        """Remove at most `limit` rows (-1 = all) that were used on `last_day` or before, the oldest first."""
        oldest = (
            "SELECT vectors.rowid FROM vectors JOIN models ON models.id = model LEFT JOIN uses ON "
            "uses.id = vectors.rowid WHERE (? IS NULL OR name = ?) AND COALESCE(day, 0) <= ? "
            "ORDER BY COALESCE(day, 0), vectors.rowid LIMIT ?"
        )
        with self.writing() as db:
            values = (model_id, model_id, last_day, limit)
            removed = db.execute(f"DELETE FROM vectors WHERE rowid IN ({oldest})", values).rowcount
            db.execute("DELETE FROM uses WHERE id NOT IN (SELECT rowid FROM vectors)")
        self.fetch("PRAGMA incremental_vacuum")
        return removed

    def remove_hashes(self, hashes: Sequence[str], model_id: str) -> None:
        """Remove the rows of some hashes."""
        with self.writing() as db:
            db.executemany(
                "DELETE FROM vectors WHERE hash = ? AND model = (SELECT id FROM models WHERE name = ?)",
                [(bytes.fromhex(key), model_id) for key in hashes],
            )

    def _model(self, model_id: str, dimensions: int) -> int:
        self._db.execute("INSERT OR IGNORE INTO models (name, dimensions) VALUES (?, ?)", (model_id, dimensions))
        number, stored = self._db.execute("SELECT id, dimensions FROM models WHERE name = ?", (model_id,)).fetchone()
        if stored != dimensions:
            raise BadVectors(
                f"{model_id!r} returned vectors of {dimensions} dimensions; {self.path} has {stored} for it"
            )
        return int(number)

    @contextmanager
    def _typed_errors(self) -> Iterator[None]:
        """Convert SQLite's errors; rename a damaged file, so that the next run starts with a new one."""
        try:
            yield
        except sqlite3.Error as error:
            if self.read_only or not cache_file.is_damage(error):
                raise cache_file.unavailable(self.path, error) from error
            self._db.close()
            cache_file.set_aside(self.path, self._inode)
            self._warn(f"{self.path} was damaged ({error}) and was renamed")
            raise StateUnavailable(
                f"{self.path} was damaged ({error}) and was renamed; run again to embed its texts again"
            ) from error

    def _warn(self, message: str) -> None:
        self.warnings.append(message)
        self._on_event(Event("embedding_cache_damaged", {"message": message}))


def is_sound(row: tuple[bytes, object, object, object], model_id: str, dimensions: int) -> bool:
    """Return True if a row (hash, vector, tokens, checksum) is undamaged; an unkept model stores no vector."""
    key, vector, tokens, checksum = row
    return (
        isinstance(vector, bytes)
        and isinstance(tokens, int)
        and 0 <= tokens < 2**40
        and len(key) == 32
        and len(vector) in ((0, 4 * dimensions) if is_uncached(model_id) else (4 * dimensions,))
        and zlib.crc32(vector, zlib.crc32(key)) == checksum
    )


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        db.rollback()
        raise
