"""The embedding cache: content hash and model to vector, for all scopes, clones and CI runs (spec 10.3).

Vectors are added and never changed; only `prune` removes some. A damaged entry counts as missing, is reported, and is
embedded again.
"""

import sqlite3
import threading
import time
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from searchsocket.errors import BadVectors, StateUnavailable
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.models.embedders import cache_file
from searchsocket.models.embedders.base import bad_rows, checked, is_uncached
from searchsocket.models.embedders.refused_texts import placeholder
from searchsocket.system.batches import batches
from searchsocket.types import Vectors

_DAY_S = 86_400
MAX_HASHES = 500  # in one statement
Row = tuple[bytes, bytes, int, int]  # content hash, vector, tokens, checksum


@cache
def _placeholder(size: int) -> bytes:
    return placeholder(size // 4).astype("<f4").tobytes()


@dataclass(frozen=True, slots=True)
class CachedModel:
    """Cached embeddings of one model."""

    model_id: str
    dimensions: int
    texts: int
    tokens: int
    bytes: int  # of the vectors alone
    last_used_day: int  # days since 1970; 0 = before days were stored


class EmbeddingCache:
    """An open cache file. Any number of processes and threads may use one file at once.

    Args:
        path: The file; created with its folder if missing.
        read_only: Write nothing, anywhere; an absent or damaged file is an empty cache.
        on_event: Called with `embedding_cache_damaged`.
        now: Seconds since 1970, for the day of the last use of a vector.

    Raises:
        StateUnavailable: The file cannot be opened, or a newer version of this program wrote it.
    """

    def __init__(
        self,
        path: Path,
        *,
        read_only: bool = False,
        on_event: OnEvent = ignore,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.read_only = read_only
        self._table = CacheTable(path, read_only=read_only, on_event=on_event)
        self._today = int(now() // _DAY_S)
        self._used = array("q")  # row ids of used vectors, stored when the file is closed

    @property
    def warnings(self) -> list[str]:
        """Warnings about damage, for the run's report."""
        return self._table.warnings

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; the cache cannot be used any more."""
        self._note_uses()
        self._table.close()

    def _note_uses(self) -> None:
        if self._used:
            self._table.note_uses(self._used, self._today)
            self._used = array("q")

    def missing(self, hashes: Iterable[str], model_id: str) -> list[str]:
        """Return the distinct hashes without a sound vector of this model, in the order of their first appearance.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        return self.look_up(hashes, model_id)[0]

    def look_up(self, hashes: Iterable[str], model_id: str) -> tuple[list[str], list[str]]:
        """Return `missing`, and the hashes of texts that the server refused: they have a `placeholder`.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        missing_keys: list[str] = []
        refused: list[str] = []
        for batch in batches(dict.fromkeys(hashes), MAX_HASHES):
            rows = self._table.rows(batch, model_id, array("q"))
            missing_keys.extend(key for key in batch if key not in rows)
            refused.extend(key for key, row in rows.items() if row[1] and row[1] == _placeholder(len(row[1])))
        return missing_keys, refused

    def forget_refused(self, hashes: Iterable[str], model_id: str) -> None:
        """Remove placeholders, so that their texts are sent again.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        for batch in batches(dict.fromkeys(hashes), MAX_HASHES):
            if refused := self.look_up(batch, model_id)[1]:
                self._table.remove_hashes(refused, model_id)

    def get(self, hashes: Sequence[str], model_id: str) -> Vectors:
        """Return the vectors of these hashes, in their order.

        Returns:
            float32 of shape (len(hashes), dimensions of the model); (0, 0) for no hashes.

        Raises:
            StateUnavailable: A vector is missing or damaged, or the file cannot be read.
        """
        blobs: dict[str, bytes] = {}
        used = array("q") if self.read_only else self._used
        for batch in batches(dict.fromkeys(hashes), MAX_HASHES):
            blobs.update((key, row[1]) for key, row in self._table.rows(batch, model_id, used).items() if row[1])
        lacking = [key for key in hashes if key not in blobs]
        if lacking:
            raise StateUnavailable(
                f"{len(lacking)} embeddings of {model_id!r} are not in {self.path} (first: {lacking[0]}); run "
                f"`searchsocket index` to embed them again"
            )
        if not hashes:
            return np.empty((0, 0), dtype=np.float32)
        return np.frombuffer(b"".join(blobs[key] for key in hashes), dtype="<f4").reshape(len(hashes), -1)

    def models(self) -> list[CachedModel]:
        """Return the cached embeddings of each model."""
        rows = self._table.fetch(
            "SELECT name, dimensions, COUNT(vectors.rowid), COALESCE(SUM(tokens), 0), "
            "COALESCE(SUM(LENGTH(vector)), 0), COALESCE(MAX(day), 0) FROM models "
            "LEFT JOIN vectors ON model = models.id LEFT JOIN uses ON uses.id = vectors.rowid "
            "GROUP BY models.id ORDER BY name"
        )
        return [CachedModel(*row) for row in rows]

    def size_bytes(self) -> int:
        """Return the used bytes of the file."""
        pages, free, size = (
            int(self._table.fetch(f"PRAGMA {name}")[0][0]) for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size

    def prune(self, *, unused_days: int = 0, model_id: str | None = None, max_bytes: int | None = None) -> int:
        """Remove vectors, the least recently used first.

        Args:
            unused_days: Only vectors that were not used within so many days; 0 = all. Days are those of this machine.
            model_id: Only vectors of this model.
            max_bytes: Only as many as needed to reduce the file to this size.

        Returns:
            The number of vectors removed.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        self._note_uses()
        last_day = self._today - unused_days
        if max_bytes is None:
            return self._table.remove(model_id, last_day, -1)
        total = 0
        while (excess := (size := self.size_bytes()) - max_bytes) > 0:
            count = sum(model.texts for model in self.models())
            removed = self._table.remove(model_id, last_day, -(-excess * count // size))  # rows share pages of the file
            if not removed:
                break
            total += removed
        return total

    def size(self) -> int:
        """Return the highest row number, which only grows; a new or older file has a smaller one."""
        rows = self._table.fetch("SELECT COALESCE(MAX(rowid), 0) FROM vectors")
        return int(rows[0][0]) if rows else 0

    def put(self, hashes: Sequence[str], vectors: Vectors, tokens: Sequence[int], model_id: str) -> None:
        """Store a batch in one transaction; a hash that is stored already keeps its vector.

        Args:
            vectors: Shape (len(hashes), dimensions), float32, finite, unit rows; row i belongs to hash i.

        Raises:
            BadVectors: A vector is unusable, or has another length than the model's others; nothing is stored.
            StateUnavailable: The file cannot be written: full disk, read-only, locked for too long.
        """
        if self.read_only:
            raise StateUnavailable(f"{self.path} is open read-only")
        if not hashes:
            return
        rows = checked(vectors, len(hashes), vectors.shape[1] if vectors.ndim == 2 else 0, model_id)
        packed = [
            (bytes.fromhex(key), row.astype("<f4").tobytes(), int(count))
            for key, row, count in zip(hashes, rows, tokens, strict=True)
        ]
        self._table.insert(model_id, rows.shape[1], packed, day=self._today)

    def note(self, hashes: Sequence[str], tokens: Sequence[int], model_id: str, dimensions: int) -> None:
        """Store in one transaction that texts were embedded, without their vectors (see `is_uncached`).

        Raises:
            StateUnavailable: The file cannot be written.
        """
        rows = [(bytes.fromhex(key), b"", count) for key, count in zip(hashes, tokens, strict=True)]
        self._table.insert(model_id, dimensions, rows, day=self._today)

    def import_from(self, path: Path) -> tuple[int, int]:
        """Add the embeddings of another cache file that are missing in this one.

        Shape, checksum and length of every vector are checked. Its text cannot be checked: import only files from
        people whose index you would trust.

        Returns:
            (embeddings added, embeddings refused).

        Raises:
            StateUnavailable: `path` is not a sound cache file, or this file cannot be written.
        """
        added = refused = 0
        with cache_file.open_foreign(path) as foreign:
            for model_id, dimensions, rows in cache_file.batches_of(foreign, path):
                sound = [row for row in rows if is_sound(row, model_id, dimensions)]
                whole = [row for row in sound if row[1]]
                vectors = np.frombuffer(b"".join(row[1] for row in whole), dtype="<f4").reshape(len(whole), dimensions)
                bad = {whole[index][0] for index in bad_rows(vectors).tolist()}
                good = [row for row in sound if row[0] not in bad]
                refused += len(rows) - len(good)
                try:
                    added += self._table.insert(model_id, dimensions, [row[:3] for row in good])
                except BadVectors:
                    refused += len(good)
        return added, refused


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
