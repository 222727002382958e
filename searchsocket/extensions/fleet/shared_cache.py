"""A cache of embeddings in an object store, shared by all repositories that name it (spec 10.3).

```text
<model, a hash>/<digest>.keys     model, dimensions and hashes of some texts
<model, a hash>/<digest>.f32      their vectors, float32, in the same order
```

Objects are never changed, and their name is the digest of both. So writers cannot harm each other, and a copy of the
keys on this disk stays right. Texts are not stored. Small batches are merged into larger ones, which keeps the number
of objects low: a run reads the keys of all batches, and the vectors of those that have a text that it needs.
"""

import hashlib
import json
import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable, BadVectors
from searchsocket.extensions.fleet.objects.base import ObjectMissing, Objects, read
from searchsocket.models.embedders.base import checked
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.system.batches import batches
from searchsocket.system.files import write_atomic
from searchsocket.types import Vectors

FORMAT = 1
_KEYS, _VECTORS = ".keys", ".f32"
_HASH_BYTES = 32
_HALF = 32  # hex digits of each digest in a name
_MAX_BATCH_BYTES = 8_000_000  # of vectors: one object is read whole for one text
_SMALL_BYTES = _MAX_BATCH_BYTES // 2
_MAX_SMALL = 32  # above it they are merged
_MAX_HEAD_BYTES = 4_096
_MAX_TEXTS = 250_000  # of one batch
_NAME = re.compile(r"[0-9a-f]{64}")
_MAX_BATCHES = 20_000  # of one model
_MAX_WARNINGS = 5
_AT_ONCE = 8
_MAX_BYTES = 64_000_000  # of vectors in memory
_TRIES = 2  # with a new listing, if another writer merged batches


@dataclass(frozen=True, slots=True)
class _Batch:
    name: str  # without its suffix
    dimensions: int
    keys: bytes  # hashes, 32 bytes each

    @property
    def vector_bytes(self) -> int:
        return len(self.keys) // _HASH_BYTES * self.dimensions * 4

    def hashes(self) -> Iterator[str]:
        """Return the hashes of the batch's texts, in the order of their vectors."""
        digits = self.keys.hex()
        return (digits[start : start + 64] for start in range(0, len(digits), 64))


class SharedCache:
    """The shared embeddings of one model.

    Args:
        folder: Folder for copies of keys.
        on_problem: Called with messages about damage, and if the object store is unavailable; after that, nothing is
            sent.
    """

    def __init__(self, objects: Objects, folder: Path, model_id: str, on_problem: Callable[[str], object]) -> None:
        self._objects = objects
        self._model_id = model_id
        model = hashlib.sha256(model_id.encode()).hexdigest()[:_HALF]
        self._prefix = f"{model}/"
        address = hashlib.sha256(objects.address.encode()).hexdigest()[:_HALF]
        self._folder = folder / address / model
        self._on_problem = on_problem
        self._problems = 0
        self._is_away = False
        self._batches: dict[str, _Batch] | None = None
        self._is_outdated = False  # a batch was merged by another writer since the listing

    @property
    def is_new(self) -> bool:
        """Return True until the first use on this disk."""
        return not self._folder.exists()

    def fill(self, cache: EmbeddingCache, tokens: Mapping[str, int]) -> int:
        """Copy vectors that the local cache lacks, and count them.

        Args:
            tokens: Tokens of each needed text, by its hash.

        Raises:
            StateUnavailable: The local cache cannot be read or written.
        """
        missing = set(cache.missing(tokens, self._model_id))
        if not missing:
            return 0
        count = len(missing)
        try:
            for _ in range(_TRIES):
                self._take(cache, missing, tokens)
                if not self._is_outdated:
                    break
                self._batches, self._is_outdated = None, False
        except ArtifactsUnavailable as error:
            self._leave(error)
        return count - len(missing)

    def _take(self, cache: EmbeddingCache, missing: set[str], tokens: Mapping[str, int]) -> None:
        needed = [batch for batch in self._sound_batches().values() if not missing.isdisjoint(batch.hashes())]
        for window in batches(needed, _MAX_BYTES // _MAX_BATCH_BYTES):
            for batch, vectors in self._read_all(window):
                rows = {key: row for row, key in enumerate(batch.hashes()) if key in missing}
                hashes = list(rows)
                with suppress(BadVectors):  # the local cache has other dimensions of this model
                    cache.put(hashes, vectors[list(rows.values())], [tokens[key] for key in hashes], self._model_id)
                    missing.difference_update(hashes)

    def send(self, cache: EmbeddingCache, hashes: Iterable[str]) -> int:
        """Store vectors that the shared cache lacks, and count them.

        Raises:
            StateUnavailable: The local cache cannot be read.
        """
        texts = list(dict.fromkeys(hashes))
        if not texts or self._is_away:
            return 0
        try:
            stored = {key for batch in self._sound_batches().values() for key in batch.hashes()}
            new = [key for key in texts if key not in stored]
            absent = set(cache.missing(new, self._model_id))
            new = [key for key in new if key not in absent]
            if new:
                self._write(new, lambda hashes: cache.get(hashes, self._model_id))
                self._merge()
            self._folder.mkdir(parents=True, exist_ok=True)
            return len(new)
        except ArtifactsUnavailable as error:
            self._leave(error)
            return 0

    def _sound_batches(self) -> dict[str, _Batch]:
        """Return every sound batch of the model, by name."""
        if self._batches is None:
            sizes = {info.name.removeprefix(self._prefix): info.bytes for info in self._objects.list(self._prefix)}
            names = sorted(name.removesuffix(_KEYS) for name in sizes if name.endswith(_KEYS))
            names = [name for name in names if _NAME.fullmatch(name)]
            if len(names) > _MAX_BATCHES:
                self._report(
                    f"{self._objects.address}: {self._prefix} has {len(names):,} batches; reads {_MAX_BATCHES:,}"
                )
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                read_batches = pool.map(self._keys_of, names[:_MAX_BATCHES])
                self._batches = {batch.name: batch for batch in read_batches if batch}
            for name, batch in list(self._batches.items()):
                if sizes.get(f"{name}{_VECTORS}") != batch.vector_bytes:
                    self._report(f"{self._objects.address}: {self._prefix}{name}{_VECTORS} has a wrong size")
                    del self._batches[name]
            for path in self._folder.glob("*") if self._folder.exists() else ():
                if path.name not in self._batches:
                    path.unlink(missing_ok=True)
        return self._batches

    def _keys_of(self, name: str) -> _Batch | None:
        copy = self._folder / name
        with suppress(OSError, ValueError):
            return self._parse(name, copy.read_bytes())
        try:
            data = read(self._objects, f"{self._prefix}{name}{_KEYS}", _MAX_HEAD_BYTES + _MAX_TEXTS * _HASH_BYTES)
            batch = self._parse(name, data)
        except ObjectMissing:  # another writer merged it
            return None
        except (ValueError, ArtifactInvalid) as error:
            self._report(f"{self._objects.address}: {self._prefix}{name[:100]}{_KEYS} is not used: {error}")
            return None
        with suppress(OSError):  # the copy only saves the next request
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(copy, data)
        return batch

    def _parse(self, name: str, data: bytes) -> _Batch:
        """
        Raises:
            ValueError: The keys are damaged, or of another model.
        """
        if _digest(data) != name[:_HALF]:
            raise ValueError("its checksum does not match")
        head, _, keys = data.partition(b"\n")
        facts = json.loads(head)
        dimensions = facts["dimensions"] if isinstance(facts, dict) and facts.get("format") == FORMAT else None
        if not isinstance(dimensions, int) or not 0 < dimensions <= 65_536:
            raise ValueError("another version wrote it")
        if facts.get("model") != self._model_id:
            raise ValueError("it is of another model")
        if not keys or len(keys) % _HASH_BYTES:
            raise ValueError("its hashes are incomplete")
        batch = _Batch(name, dimensions, keys)
        if batch.vector_bytes > max(_MAX_BATCH_BYTES, 4 * dimensions):
            raise ValueError("it is too large")
        return batch

    def _read_all(self, window: Sequence[_Batch]) -> list[tuple[_Batch, Vectors]]:
        """Return batches with their vectors, without damaged and deleted ones."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            vectors = list(pool.map(self._vectors_of, window))
        return [(batch, rows) for batch, rows in zip(window, vectors, strict=True) if rows is not None]

    def _vectors_of(self, batch: _Batch) -> Vectors | None:
        name = f"{self._prefix}{batch.name}{_VECTORS}"
        try:
            data = read(self._objects, name, batch.vector_bytes)
        except ObjectMissing:
            self._is_outdated = True
            return None
        except ArtifactInvalid as error:
            self._report(str(error))
            return None
        problem = "its checksum does not match"
        if len(data) == batch.vector_bytes and _digest(data) == batch.name[_HALF:]:
            rows = np.frombuffer(data, "<f4").reshape(-1, batch.dimensions)
            try:
                return checked(rows, len(rows), batch.dimensions, "its writer")
            except BadVectors as error:
                problem = str(error)
        self._report(f"{self._objects.address}: {name} is not used: {problem}")
        return None

    def _write(self, hashes: Sequence[str], vectors_of: Callable[[Sequence[str]], Vectors]) -> list[str]:
        """Write batches, and return their names."""
        assert self._batches is not None
        names = []
        dimensions = vectors_of(hashes[:1]).shape[1]
        for window in batches(hashes, max(1, _MAX_BATCH_BYTES // (4 * dimensions))):
            vectors = vectors_of(window).astype("<f4").tobytes()
            head = json.dumps({"format": FORMAT, "model": self._model_id, "dimensions": dimensions}).encode()
            keys = b"".join(bytes.fromhex(key) for key in window)
            data = head + b"\n" + keys
            name = _digest(data) + _digest(vectors)
            self._objects.put(f"{self._prefix}{name}{_VECTORS}", vectors)
            self._objects.put(f"{self._prefix}{name}{_KEYS}", data)  # last: readers see batches by their keys
            self._batches[name] = _Batch(name, dimensions, keys)
            names.append(name)
        return names

    def _merge(self) -> None:
        """Merge small batches if there are many."""
        assert self._batches is not None
        small = [batch for batch in self._batches.values() if batch.vector_bytes < _SMALL_BYTES]
        if len(small) <= _MAX_SMALL or len({batch.dimensions for batch in small}) > 1:
            return
        small.sort(key=lambda batch: batch.vector_bytes)
        total = list(accumulate(batch.vector_bytes for batch in small))
        pairs = self._read_all(small[: bisect(total, _MAX_BYTES)])
        rows = {key: vectors[row] for batch, vectors in pairs for row, key in enumerate(batch.hashes())}
        if len(pairs) < 2:
            return
        written = set(self._write(list(rows), lambda hashes: np.stack([rows[key] for key in hashes])))
        merged = [batch.name for batch, _ in pairs if batch.name not in written]
        for suffix in (_KEYS, _VECTORS):
            self._objects.delete([f"{self._prefix}{name}{suffix}" for name in merged])
        for name in merged:
            del self._batches[name]

    def _leave(self, error: ArtifactsUnavailable) -> None:
        self._is_away = True
        self._on_problem(f"the shared cache of embeddings cannot be used, so this run continues without it: {error}")

    def _report(self, problem: str) -> None:
        self._problems += 1
        if self._problems <= _MAX_WARNINGS:
            self._on_problem(problem)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HALF]
