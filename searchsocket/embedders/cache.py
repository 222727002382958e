"""The embedding cache: content hash and model to vector, under all scopes, clones and CI runs (spec 10.3).

Vectors are added and never changed; only `prune` removes some. Anything damaged counts as missing, is named, and is
embedded again: the cache never lies.
"""

import sqlite3
import threading
import time
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from searchsocket.embedders import cache_file
from searchsocket.embedders.checks import bad_rows, checked
from searchsocket.errors import BadVectors, StateUnavailable
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.system.batches import batches
from searchsocket.types import Vectors

_LOOKUP = 500  # rows read by one statement
Row = tuple[bytes, bytes, int, int]  # content hash, vector, tokens, checksum
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class HeldModel:
    """What the cache holds of one model."""

    model_id: str
    dimensions: int
    texts: int
    tokens: int
    bytes: int  # of the vectors alone
    last_used_day: int  # days since 1970; 0 = before days were kept


class EmbeddingCache:
    """An open cache file. Any number of processes and threads may use one file at once.

    Args:
        path: The file; made with its folder when absent.
        read_only: Write nothing, anywhere; an absent or damaged file is an empty cache.
        on_event: Hears `embedding_cache_damaged`.
        now: Seconds since 1970; tells the day on which a vector was used last.

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
        self.warnings: list[str] = []  # what was found damaged, for the run's report
        self._on_event = on_event
        self._lock = threading.Lock()
        self._damaged: set[tuple[str, str]] = set()  # (content hash, model): rows that `put` replaces
        opened = cache_file.open_read_only(path) if read_only else cache_file.open_writable(path)
        self._db = opened.connection
        self._inode = opened.inode
        self._today = int(now() // _DAY_S)
        self._used = array("q")  # rows of `vectors` that were used, written down when the file is closed
        if opened.damage:
            self._warn(opened.damage)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; the cache cannot be used any more."""
        self._note_uses()
        self._db.close()

    def missing(self, hashes: Iterable[str], model_id: str) -> list[str]:
        """The distinct hashes without a sound vector of this model, in the order of their first appearance.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        found: list[str] = []
        for batch in batches(dict.fromkeys(hashes), _LOOKUP):
            held = self._rows(batch, model_id, array("q"))
            found.extend(key for key in batch if key not in held)
        return found

    def get(self, hashes: Sequence[str], model_id: str) -> Vectors:
        """The vectors of these hashes, in their order.

        Returns:
            float32 of shape (len(hashes), dimensions of the model); (0, 0) for no hashes.

        Raises:
            StateUnavailable: A vector is missing or damaged, or the file cannot be read.
        """
        held: dict[str, bytes] = {}
        used = array("q") if self.read_only else self._used
        for batch in batches(dict.fromkeys(hashes), _LOOKUP):
            held.update((key, row[1]) for key, row in self._rows(batch, model_id, used).items())
        lacking = [key for key in hashes if key not in held]
        if lacking:
            raise StateUnavailable(
                f"{len(lacking)} embeddings of {model_id!r} are not in {self.path} (first: {lacking[0]}); "
                "run `searchsocket index` to make them again"
            )
        if not hashes:
            return np.empty((0, 0), dtype=np.float32)
        return np.frombuffer(b"".join(held[key] for key in hashes), dtype="<f4").reshape(len(hashes), -1)

    def models(self) -> list[HeldModel]:
        """What is held, by model."""
        with self._lock, self._translated():
            rows = self._fetch(
                "SELECT name, dimensions, COUNT(vectors.rowid), COALESCE(SUM(tokens), 0), "
                "COALESCE(SUM(LENGTH(vector)), 0), COALESCE(MAX(day), 0) FROM models "
                "LEFT JOIN vectors ON model = models.id LEFT JOIN uses ON uses.id = vectors.rowid "
                "GROUP BY models.id ORDER BY name",
                (),
            )
        return [HeldModel(*row) for row in rows]

    def held_bytes(self) -> int:
        """Bytes of the file that hold something."""
        with self._lock, self._translated():
            pages, free, size = (
                int(self._fetch(f"PRAGMA {name}", ())[0][0]) for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * size

    def prune(self, *, unused_days: int = 0, model_id: str | None = None, max_bytes: int | None = None) -> int:
        """Remove vectors, those first that were used longest ago.

        Args:
            unused_days: Only those that were not used within so many days; 0 = all. Days are those of this machine.
            model_id: Only those of this model.
            max_bytes: Only as many as it takes for the file to hold at most so much.

        Returns:
            The number of vectors removed.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        self._note_uses()
        last_day = self._today - unused_days
        if max_bytes is None:
            return self._remove(model_id, last_day, -1)
        gone = 0
        while (excess := (held := self.held_bytes()) - max_bytes) > 0:
            count = sum(model.texts for model in self.models())
            removed = self._remove(model_id, last_day, -(-excess * count // held))  # rows share pages of the file
            if not removed:
                break
            gone += removed
        return gone

    def _remove(self, model_id: str | None, last_day: int, limit: int) -> int:
        chosen = (
            "SELECT vectors.rowid FROM vectors JOIN models ON models.id = model LEFT JOIN uses ON "
            "uses.id = vectors.rowid WHERE (? IS NULL OR name = ?) AND COALESCE(day, 0) <= ? "
            "ORDER BY COALESCE(day, 0), vectors.rowid LIMIT ?"
        )
        with self._lock, self._translated():
            with _transaction(self._db):
                values = (model_id, model_id, last_day, limit)
                gone = self._db.execute(f"DELETE FROM vectors WHERE rowid IN ({chosen})", values).rowcount
                self._db.execute("DELETE FROM uses WHERE id NOT IN (SELECT rowid FROM vectors)")
            self._db.execute("PRAGMA incremental_vacuum").fetchall()
        return gone

    def size(self) -> int:
        """Rises with everything that is stored: a file that was lost, or came from an older copy, says less."""
        with self._lock, self._translated():
            rows = self._fetch("SELECT COALESCE(MAX(rowid), 0) FROM vectors", ())
        return int(rows[0][0]) if rows else 0

    def put(self, hashes: Sequence[str], vectors: Vectors, tokens: Sequence[int], model_id: str) -> None:
        """Store a batch in one transaction; a hash that is held already keeps its vector.

        Args:
            vectors: Shape (len(hashes), dimensions), float32, finite, unit rows; row i belongs to hash i.

        Raises:
            BadVectors: A vector cannot be used, or has another length than the model's others; nothing is stored.
            StateUnavailable: The file cannot be written: full disk, read-only, locked for too long.
        """
        if self.read_only:
            raise StateUnavailable(f"{self.path} was opened for reading only")
        if not hashes:
            return
        rows = checked(vectors, len(hashes), vectors.shape[1] if vectors.ndim == 2 else 0, model_id)
        packed = [
            (bytes.fromhex(key), row.astype("<f4").tobytes(), int(count))
            for key, row, count in zip(hashes, rows, tokens, strict=True)
        ]
        with self._lock, self._translated(), _transaction(self._db):
            model = self._model(model_id, rows.shape[1])
            self._insert(model, packed, {bytes.fromhex(key) for key, name in self._damaged if name == model_id})
            self._db.executemany(
                "INSERT OR REPLACE INTO uses SELECT rowid, ? FROM vectors WHERE model = ? AND hash = ?",
                [(self._today, model, row[0]) for row in packed],
            )
        self._damaged.difference_update((key, model_id) for key in hashes)

    def _note_uses(self) -> None:
        if not self._used:
            return
        with suppress(sqlite3.Error), self._lock, _transaction(self._db):  # a day that is lost is no reason to fail
            rows = ((row, self._today) for row in self._used)
            self._db.executemany("INSERT OR REPLACE INTO uses (id, day) VALUES (?, ?)", rows)
        self._used = array("q")

    def export_to(self, path: Path) -> int:
        """Write all embeddings to another cache file, compact and in one piece, for a CI artifact.

        Returns:
            The number of embeddings written.

        Raises:
            StateUnavailable: `path` cannot be written, or this file cannot be read.
        """
        with self._lock, self._translated():
            cache_file.copy_compact(self._db, path)
            return int(self._db.execute("SELECT COUNT(*) FROM vectors").fetchone()[0])

    def import_from(self, path: Path) -> tuple[int, int]:
        """Take over what another cache file holds and this one lacks.

        Shape, checksum and length of every vector are checked. Whether it belongs to its text cannot be: import
        only files from those whose index you would trust.

        Returns:
            (embeddings added, embeddings refused).

        Raises:
            StateUnavailable: `path` is not a sound cache file, or this file cannot be written.
        """
        added = refused = 0
        with cache_file.open_foreign(path) as other:
            for model_id, dimensions, rows in cache_file.batches_of(other, path):
                sound = [row for row in rows if _is_sound(row, dimensions)]
                vectors = np.frombuffer(b"".join(row[1] for row in sound), dtype="<f4").reshape(len(sound), dimensions)
                bad = set(bad_rows(vectors).tolist())
                kept = [row for index, row in enumerate(sound) if index not in bad]
                refused += len(rows) - len(kept)
                with self._lock, self._translated(), _transaction(self._db):
                    try:
                        model = self._model(model_id, dimensions)
                    except BadVectors:
                        refused += len(kept)
                        continue
                    added += self._insert(model, [row[:3] for row in kept], set())
        return added, refused

    def _rows(self, hashes: Sequence[str], model_id: str, used: "array[int]") -> dict[str, Row]:
        """The sound rows among at most `_LOOKUP` hashes; damaged ones are named and left out.

        Args:
            used: Gets the numbers of these rows.
        """
        marks = ",".join("?" * len(hashes))
        query = (
            "SELECT hash, vector, tokens, checksum, dimensions, vectors.rowid FROM vectors "
            f"JOIN models ON models.id = model WHERE name = ? AND hash IN ({marks})"
        )
        with self._lock, self._translated():
            rows = self._fetch(query, (model_id, *map(bytes.fromhex, hashes)))
        held: dict[str, Row] = {}
        for *row, dimensions, place in rows:
            key = row[0].hex()
            if _is_sound(row, dimensions):
                held[key] = (row[0], row[1], row[2], row[3])
                used.append(place)
            elif (key, model_id) not in self._damaged:
                self._damaged.add((key, model_id))
                self._warn(f"the embedding {key} of {model_id!r} in {self.path} is damaged and is made again")
        return held

    def _fetch(self, query: str, values: Sequence[Any]) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            if not (self.read_only and cache_file.is_damage(error)):
                raise
            # Who only looks sees an empty cache; the next one who may write sets the file aside.
            if not self.warnings:
                self._warn(f"{self.path} is damaged ({error}); the next run makes it anew")
            return []

    def _model(self, model_id: str, dimensions: int) -> int:
        self._db.execute("INSERT OR IGNORE INTO models (name, dimensions) VALUES (?, ?)", (model_id, dimensions))
        number, known = self._db.execute("SELECT id, dimensions FROM models WHERE name = ?", (model_id,)).fetchone()
        if known != dimensions:
            raise BadVectors(f"{model_id!r} gave vectors of {dimensions} dimensions; {self.path} holds it with {known}")
        return int(number)

    def _insert(self, model: int, rows: Sequence[tuple[bytes, bytes, int]], replaced: set[bytes]) -> int:
        self._db.executemany(
            "DELETE FROM vectors WHERE hash = ? AND model = ?", [(row[0], model) for row in rows if row[0] in replaced]
        )
        before = self._db.total_changes
        self._db.executemany(
            "INSERT OR IGNORE INTO vectors (hash, model, vector, tokens, checksum) VALUES (?, ?, ?, ?, ?)",
            [(key, model, vector, tokens, zlib.crc32(vector, zlib.crc32(key))) for key, vector, tokens in rows],
        )
        return self._db.total_changes - before

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """SQLite's errors as ours; damage deep inside the file moves it aside, so that the next run starts anew."""
        try:
            yield
        except sqlite3.Error as error:
            if self.read_only or not cache_file.is_damage(error):
                raise cache_file.unavailable(self.path, error) from error
            self._db.close()
            cache_file.set_aside(self.path, self._inode)
            self._warn(f"{self.path} was damaged ({error}) and is set aside")
            raise StateUnavailable(
                f"{self.path} was damaged ({error}) and is set aside; run again to embed its texts anew"
            ) from error

    def _warn(self, message: str) -> None:
        self.warnings.append(message)
        self._on_event(Event("embedding_cache_damaged", {"message": message}))


def _is_sound(row: Sequence[Any], dimensions: int) -> bool:
    key, vector, tokens, checksum = row
    return (
        isinstance(vector, bytes)
        and isinstance(tokens, int)
        and 0 <= tokens < 2**40
        and len(key) == 32
        and len(vector) == 4 * dimensions
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
