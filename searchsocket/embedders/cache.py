"""The embedding cache: content hash and model to vector, under all scopes, clones and CI runs (spec 10.3).

Append-only. Anything damaged counts as missing, is named, and is embedded again: the cache never lies.
"""

import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from searchsocket.embedders import cache_file
from searchsocket.embedders.checks import bad_rows, checked
from searchsocket.errors import BadVectors, StateUnavailable
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.types import Vectors

_LOOKUP = 500  # rows read by one statement
Row = tuple[bytes, bytes, int, int]  # content hash, vector, tokens, checksum


class EmbeddingCache:
    """An open cache file. Any number of processes and threads may use one file at once.

    Args:
        path: The file; made with its folder when absent.
        read_only: Write nothing, anywhere; an absent or damaged file is an empty cache.
        on_event: Hears `embedding_cache_damaged`.

    Raises:
        StateUnavailable: The file cannot be opened, or a newer version of this program wrote it.
    """

    def __init__(self, path: Path, *, read_only: bool = False, on_event: OnEvent = ignore) -> None:
        self.path = path
        self.read_only = read_only
        self.warnings: list[str] = []  # what was found damaged, for the run's report
        self._on_event = on_event
        self._lock = threading.Lock()
        self._damaged: set[tuple[str, str]] = set()  # (content hash, model): rows that `put` replaces
        opened = cache_file.open_read_only(path) if read_only else cache_file.open_writable(path)
        self._db = opened.connection
        self._inode = opened.inode
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
        self._db.close()

    def missing(self, hashes: Iterable[str], model_id: str) -> list[str]:
        """The distinct hashes without a sound vector of this model, in the order of their first appearance.

        Raises:
            StateUnavailable: The file cannot be read.
        """
        found: list[str] = []
        distinct = iter(dict.fromkeys(hashes))
        while batch := list(islice(distinct, _LOOKUP)):
            held = self._rows(batch, model_id)
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
        distinct = iter(dict.fromkeys(hashes))
        while batch := list(islice(distinct, _LOOKUP)):
            held.update((key, row[1]) for key, row in self._rows(batch, model_id).items())
        lacking = [key for key in hashes if key not in held]
        if lacking:
            raise StateUnavailable(
                f"{len(lacking)} embeddings of {model_id!r} are not in {self.path} (first: {lacking[0]}); "
                "run `searchsocket index` to make them again"
            )
        if not hashes:
            return np.empty((0, 0), dtype=np.float32)
        return np.frombuffer(b"".join(held[key] for key in hashes), dtype="<f4").reshape(len(hashes), -1)

    def tokens(self, hashes: Iterable[str], model_id: str) -> int:
        """Tokens that embedding these distinct texts took; texts that are not held count nothing."""
        total = 0
        distinct = iter(dict.fromkeys(hashes))
        while batch := list(islice(distinct, _LOOKUP)):
            total += sum(row[2] for row in self._rows(batch, model_id).values())
        return total

    def count(self, model_id: str) -> int:
        """Vectors held of this model."""
        with self._lock, self._translated():
            return int(
                self._db.execute(
                    "SELECT COUNT(*) FROM vectors JOIN models ON models.id = model WHERE name = ?", (model_id,)
                ).fetchone()[0]
            )

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
        self._damaged.difference_update((key, model_id) for key in hashes)

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

    def _rows(self, hashes: Sequence[str], model_id: str) -> dict[str, Row]:
        """The sound rows among at most `_LOOKUP` hashes; damaged ones are named and left out."""
        marks = ",".join("?" * len(hashes))
        query = (
            "SELECT hash, vector, tokens, checksum, dimensions FROM vectors JOIN models ON models.id = model "
            f"WHERE name = ? AND hash IN ({marks})"
        )
        with self._lock, self._translated():
            rows = self._fetch(query, (model_id, *map(bytes.fromhex, hashes)))
        held: dict[str, Row] = {}
        for *row, dimensions in rows:
            key = row[0].hex()
            if _is_sound(row, dimensions):
                held[key] = (row[0], row[1], row[2], row[3])
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
