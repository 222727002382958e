"""A generation that a process has verified is not read again, unless one of its files changes."""

import hashlib
import os
import time
from pathlib import Path

import numpy as np
import pytest
from local_index import fresh, live

from searchsocket.errors import IndexCorrupt
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import EAST, INFO, MAIN, everything, fill, record

LATER_NS = 1 << 62


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that were hashed."""
    names: list[str] = []
    real = hashlib.file_digest

    def note(file: object, algorithm: str) -> object:
        names.append(Path(file.name).name)  # type: ignore[attr-defined]
        return real(file, algorithm)  # type: ignore[arg-type]

    monkeypatch.setattr(hashlib, "file_digest", note)
    return names


def published(root: Path, monkeypatch: pytest.MonkeyPatch, now_ns: int) -> LocalStore:
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    store = fresh(root)
    fill(store, [record("a"), record("b")])
    return store


def test_files_of_a_publish_are_not_verified_again(
    tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run hashed its new index three times: before the switch, in its check and to compare the records."""
    store = published(tmp_path, monkeypatch, LATER_NS)
    hashed.clear()
    assert store.verify(MAIN) == []
    assert len(list(store.fingerprints(MAIN))) == 2
    assert hashed == []
    assert fresh(tmp_path).verify(MAIN) == []  # another process has not read it
    assert hashed


@pytest.mark.parametrize("name", ["packs/*.db", "packs/*.words", "rows/*.npy", "facts.npz.zst"])
def test_a_file_that_changed_since_is_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = published(tmp_path, monkeypatch, LATER_NS)
    path = next(live(tmp_path / "main").glob(name))
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    assert path.name in "".join(store.verify(MAIN))


def test_a_file_that_was_only_just_written_is_read(
    tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file system counts time in steps, and a second change in one step would not show."""
    store = published(tmp_path, monkeypatch, 0)
    hashed.clear()
    assert store.verify(MAIN) == []
    assert hashed


def test_verified_files_are_not_read_again(tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    published(tmp_path, monkeypatch, LATER_NS)
    store = fresh(tmp_path)
    assert store.verify(MAIN) == []
    hashed.clear()
    assert store.verify(MAIN) == []
    assert hashed == []


def test_each_publish_is_verified_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = published(tmp_path, monkeypatch, LATER_NS)
    fill(store, [record("c")])
    (path,) = live(tmp_path / "main").glob("facts.npz.zst")
    path.unlink()
    assert "facts.npz.zst" in "".join(store.verify(MAIN))
    assert store.publish(MAIN, INFO).records == 3


def test_a_later_run_reads_no_big_file_of_what_a_publish_verified(
    tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashing the live index took a tenth of a run in which one of 10,000 pages had changed."""
    published(tmp_path, monkeypatch, LATER_NS)
    hashed.clear()
    assert len(list(fresh(tmp_path).fingerprints(MAIN))) == 2
    assert hashed == []
    fresh(tmp_path).reader(MAIN)  # a service reads all
    assert hashed


@pytest.mark.parametrize("name", ["packs/*.db", "packs/*.words", "packs/*.f32"])
def test_a_later_run_notices_a_file_that_was_written_since(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it has its old size and time of writing."""
    published(tmp_path, monkeypatch, LATER_NS)
    path = next(live(tmp_path / "main").glob(name))
    times, data = path.stat(), path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(IndexCorrupt, match=path.name):
        next(fresh(tmp_path).fingerprints(MAIN))


def test_a_publish_ends_well_if_its_verification_cannot_be_noted(
    tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "main" / "VERIFIED").mkdir(parents=True)
    assert published(tmp_path, monkeypatch, LATER_NS).reader(MAIN).generation.records == 2
    hashed.clear()
    assert len(list(fresh(tmp_path).fingerprints(MAIN))) == 2
    assert hashed


def test_a_publish_opens_its_generation_once(tmp_path: Path) -> None:
    """The gate, the checks of the run and the next publish read the same reader."""
    store = fresh(tmp_path)
    candidates: list[IndexReader] = []
    store.upsert([record("a")], EAST[np.newaxis], MAIN)
    store.publish(MAIN, INFO, gate=candidates.append)
    assert store.reader(MAIN) is candidates[0]
    assert everything(fill(store, [record("b")])) == {"a", "b"}
