"""Repositories share embeddings through an object store, with concurrent writers and any objects in it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from searchsocket.errors import ArtifactsUnavailable
from searchsocket.extensions.fleet import shared_cache
from searchsocket.extensions.fleet.objects.base import ObjectInfo
from searchsocket.extensions.fleet.objects.folder import FolderObjects
from searchsocket.extensions.fleet.shared_cache import SharedCache
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.types import Vectors
from tests.extensions.fleet.test_texts_elsewhere import created
from tests.extensions.fleet.test_travelling_state import machine

MODEL = "model-1"
PREFIX = hashlib.sha256(MODEL.encode()).hexdigest()[:32]


class CountingObjects(FolderObjects):
    """A bucket whose requests are counted, and which can be away."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.root, self.requests, self.is_away = root, 0, False

    def _count(self) -> None:
        self.requests += 1
        if self.is_away:
            raise ArtifactsUnavailable("10.0.0.9: connection refused")

    def stream(self, name: str) -> Iterator[bytes]:
        self._count()
        return super().stream(name)

    def put(self, name: str, data: bytes) -> None:
        self._count()
        super().put(name, data)

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        self._count()
        return super().list(prefix)

    def delete(self, names: Sequence[str]) -> None:
        self.requests += len(names)
        super().delete(names)


class Disk:
    """A repository on a disk of its own."""

    def __init__(self, folder: Path, objects: CountingObjects) -> None:
        folder.mkdir(exist_ok=True)
        self.cache = EmbeddingCache(folder / "embeddings.db")
        self.folder, self.objects = folder, objects
        self.problems: list[str] = []

    def shared(self) -> SharedCache:
        return SharedCache(self.objects, self.folder / "keys", MODEL, self.problems.append)

    def pay(self, hashes: Sequence[str]) -> None:
        self.cache.put(hashes, vectors_of(hashes), [1] * len(hashes), MODEL)

    def fill(self, hashes: Sequence[str]) -> int:
        return self.shared().fill(self.cache, dict.fromkeys(hashes, 1))


def hashes_of(*numbers: int) -> list[str]:
    return [hashlib.sha256(str(number).encode()).hexdigest() for number in numbers]


def vectors_of(hashes: Sequence[str]) -> Vectors:
    """Unit vectors that follow from the hashes."""
    rows = np.frombuffer(b"".join(bytes.fromhex(key) for key in hashes), np.uint8).reshape(len(hashes), 32)
    rows = rows.astype(np.float32) + 1
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def objects(tmp_path: Path) -> CountingObjects:
    return CountingObjects(tmp_path / "objects")


@pytest.fixture
def first(tmp_path: Path, objects: CountingObjects) -> Disk:
    return Disk(tmp_path / "first", objects)


@pytest.fixture
def second(tmp_path: Path, objects: CountingObjects) -> Disk:
    return Disk(tmp_path / "second", objects)


def test_a_second_repository_with_the_same_texts_pays_nothing(tmp_path: Path) -> None:
    shared = {"SEARCHSOCKET__EMBEDDINGS__CACHE_URL": (tmp_path / "company").as_uri()}
    assert created(machine(tmp_path / "one", "", **shared)) > 0
    (tmp_path / "two").mkdir()
    (tmp_path / "two/searchsocket.toml").write_text('[project]\nid = "two"\n')
    assert created(machine(tmp_path / "two", "", **shared)) == 0
    stored = b"".join(path.read_bytes() for path in (tmp_path / "company").rglob("*") if path.is_file())
    assert stored
    assert b"bowline" not in stored


def test_a_run_goes_on_without_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    shared = {"SEARCHSOCKET__EMBEDDINGS__CACHE_URL": (tmp_path / "file").as_uri()}
    summary = machine(tmp_path / "one", "", **shared).summary()
    assert summary.generation
    assert [warning for warning in summary.warnings if "shared cache of embeddings cannot be used" in str(warning)]


def test_ten_thousand_texts_take_few_requests(first: Disk, second: Disk, objects: CountingObjects) -> None:
    hashes = hashes_of(*range(10_000))
    first.pay(hashes)
    assert first.shared().send(first.cache, hashes) == 10_000
    assert objects.requests == 3  # a listing, and one batch: 1.3 MB of 32 dimensions
    objects.requests = 0
    assert second.fill(hashes) == 10_000
    assert objects.requests == 3
    assert np.array_equal(second.cache.get(hashes, MODEL), vectors_of(hashes))
    objects.requests = 0
    second.pay(hashes_of(-1))
    assert second.shared().send(second.cache, hashes_of(-1, *range(10_000))) == 1
    assert objects.requests == 3  # the keys of the first batch are on this disk


def test_many_small_runs_leave_few_objects(first: Disk, second: Disk, objects: CountingObjects) -> None:
    hashes = hashes_of(*range(160))
    for start in range(0, 160, 2):
        first.pay(hashes[start : start + 2])
        first.shared().send(first.cache, hashes[start : start + 2])
    assert len(list(objects.list(""))) <= 2 * 33
    assert second.fill(hashes) == 160


def test_a_reader_sees_a_merge_of_another_writer(first: Disk, second: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = hashes_of(*range(6))
    for key in hashes:
        first.pay([key])
        first.shared().send(first.cache, [key])
    reader, slow = second.shared(), first.shared()
    reader.send(second.cache, hashes)  # which lists
    slow.send(first.cache, hashes)
    monkeypatch.setattr(shared_cache, "_MAX_SMALL", 4)
    for writer in (first.shared(), slow):  # the second one merges what the first one has removed
        key = hashes_of(7 + id(writer))
        first.pay(key)
        writer.send(first.cache, key)
    assert reader.fill(second.cache, dict.fromkeys(hashes, 1)) == 6
    assert second.problems == first.problems == []


def put_batch(objects: CountingObjects, vectors: Vectors, *, model: str = MODEL, name: str = "") -> str:
    """A batch by a writer whose digests are right."""
    head = {"format": 1, "model": model, "dimensions": vectors.shape[1]}
    keys = json.dumps(head).encode() + b"\n" + b"".join(bytes.fromhex(key) for key in hashes_of(*range(len(vectors))))
    name = name or "".join(hashlib.sha256(data).hexdigest()[:32] for data in (keys, vectors.tobytes()))
    objects.put(f"{PREFIX}/{name}.f32", vectors.tobytes())
    objects.put(f"{PREFIX}/{name}.keys", keys)
    return name


@pytest.mark.parametrize("damage", ["keys", "vectors", "short", "zero", "nan", "model", "name", "head"])
def test_bad_objects_are_named_and_not_used(first: Disk, second: Disk, objects: CountingObjects, damage: str) -> None:
    hashes = hashes_of(0, 1)
    vectors = vectors_of(hashes)
    if damage in ("zero", "nan"):
        vectors = vectors * (0 if damage == "zero" else np.float32("nan"))
    name = put_batch(
        objects, vectors, model="other" if damage == "model" else MODEL, name="0" * 64 if damage == "name" else ""
    )
    path = objects.root / PREFIX / name
    if damage in ("keys", "head"):
        data = path.with_suffix(".keys").read_bytes()
        path.with_suffix(".keys").write_bytes(b"[]\n" if damage == "head" else data[:-1] + b"x")
    if damage in ("vectors", "short"):
        data = path.with_suffix(".f32").read_bytes()
        path.with_suffix(".f32").write_bytes(data[:-4] + b"" if damage == "short" else data[:-4] + b"\0\0\0\0")
    first.pay(hashes_of(5))
    first.shared().send(first.cache, hashes_of(5))
    assert second.fill(hashes_of(0, 5)) == 1
    assert [name in problem for problem in second.problems] == [True]


def test_foreign_names_are_ignored(second: Disk, objects: CountingObjects) -> None:
    for name in ("../../evil.keys", "sub/x.keys", "x.keys", "readme"):
        objects.put(f"{PREFIX}/a/{name}", b"x")
    assert second.fill(hashes_of(1)) == 0
    assert second.problems == []


def test_a_store_that_is_away_is_one_warning(first: Disk, objects: CountingObjects) -> None:
    objects.is_away = True
    first.pay(hashes_of(1))
    shared = first.shared()
    assert shared.fill(first.cache, dict.fromkeys(hashes_of(2), 1)) == 0
    assert shared.send(first.cache, hashes_of(1)) == 0
    assert len(first.problems) == 1
    assert "connection refused" in first.problems[0]
    assert objects.requests == 1
