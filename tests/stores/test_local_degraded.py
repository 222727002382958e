"""A service that holds a whole generation: what becomes of it when the files change under it, or a new one is bad."""

import gc
import json
import signal
import subprocess
import sys
import weakref
from dataclasses import dataclass
from pathlib import Path

import pytest
from local_index import vectors_of

from searchsocket.errors import IndexCorrupt, ProjectMismatch, ScopeNotIndexed
from searchsocket.stores.local import open_readers, reader
from searchsocket.stores.local.layout import CURRENT
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.local.vectors.matrix import MatrixVectors
from searchsocket.system.files import write_atomic
from searchsocket.testing.store.samples import DRAFT, MAIN, everything, fill, random_units, record


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def publishing(tmp_path: Path) -> LocalStore:
    """Publishes the first generation, of record `a`."""
    store = LocalStore(tmp_path, "shop")
    fill(store, [record("a")])
    return store


@pytest.fixture
def serving(tmp_path: Path, publishing: LocalStore, clock: Clock) -> LocalStore:
    """Another process's store, which has answered once."""
    store = LocalStore(tmp_path, "shop", monotonic=clock)
    assert everything(store.reader(MAIN)) == {"a"}
    return store


def live(root: Path) -> Path:
    folder = root / "main"
    return folder / (folder / CURRENT).read_text().splitlines()[0]


def flip(path: Path) -> None:
    data = path.read_bytes()
    write_atomic(path, data[:-1] + bytes([data[-1] ^ 1]))


def half(path: Path) -> None:
    write_atomic(path, path.read_bytes()[: path.stat().st_size // 2])


BAD = {"flipped": flip, "half": half, "missing": Path.unlink}


@pytest.mark.parametrize("damage", BAD)
@pytest.mark.parametrize("name", ["packs/*.f32", "manifest.json", "packs/*.words", "packs/*.db"])
def test_a_bad_new_generation_is_no_outage(
    tmp_path: Path, publishing: LocalStore, serving: LocalStore, name: str, damage: str
) -> None:
    """It is half copied, or a byte of it is wrong: the one that is held goes on answering, and says so."""
    old = serving.answering(MAIN)
    assert old.trouble is None
    fill(publishing, [record("b")])
    BAD[damage](next(live(tmp_path).glob(name)))
    for _ in range(3):
        assert everything(serving.reader(MAIN)) == {"a"}
    answering = serving.answering(MAIN)
    assert answering.generation == old.generation
    assert isinstance(answering.trouble, IndexCorrupt)
    assert name.split("/")[0] in str(answering.trouble)
    with pytest.raises(IndexCorrupt):  # but no run builds on what is not live
        list(serving.fingerprints(MAIN))
    publishing.rollback(MAIN)
    assert everything(serving.reader(MAIN)) == {"a"}
    assert serving.answering(MAIN).trouble is None


def test_a_failed_open_is_retried_after_growing_pauses(
    tmp_path: Path, publishing: LocalStore, serving: LocalStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trying hashes every file, so a query must not."""
    tries: list[float] = []
    check = reader.check_hashes

    def counted(*arguments: object) -> None:
        tries.append(clock.now)
        check(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "check_hashes", counted)
    fill(publishing, [record("b")])
    tries.clear()
    path = vectors_of(live(tmp_path))
    whole = path.read_bytes()
    flip(path)
    started = clock.now
    for _ in range(300 * 4):
        assert everything(serving.reader(MAIN)) == {"a"}
        clock.now += 0.25
    waits = [round(now - started) for now in tries]
    assert waits == [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]
    write_atomic(path, whole)  # a file that changes ends the pause
    assert everything(serving.reader(MAIN)) == {"a", "b"}
    assert serving.answering(MAIN).trouble is None


def test_a_store_that_holds_nothing_does_not_hash_at_each_query_either(
    tmp_path: Path, publishing: LocalStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip(vectors_of(live(tmp_path)))
    tries: list[object] = []
    check = reader.check_hashes
    monkeypatch.setattr(reader, "check_hashes", lambda *arguments: (tries.append(0), check(*arguments)))
    store = LocalStore(tmp_path, "shop", monotonic=clock)
    for _ in range(5):
        with pytest.raises(IndexCorrupt, match=r"packs/\w+\.f32"):
            store.reader(MAIN)
    assert len(tries) == 1
    with pytest.raises(IndexCorrupt, match=r"packs/\w+\.f32"):
        store.answering(MAIN)
    clock.now += 1.5
    with pytest.raises(IndexCorrupt):
        store.reader(MAIN)
    assert len(tries) == 2


def test_a_current_file_that_is_damaged_is_no_outage(
    tmp_path: Path, publishing: LocalStore, serving: LocalStore
) -> None:
    write_atomic(tmp_path / "main" / CURRENT, b"nonsense\n")
    assert everything(serving.reader(MAIN)) == {"a"}
    assert isinstance(serving.answering(MAIN).trouble, IndexCorrupt)


def test_a_scope_that_was_deleted_is_not_answered_from_memory(publishing: LocalStore, serving: LocalStore) -> None:
    publishing.delete_scope(MAIN)
    for ask in (serving.answering, serving.reader, serving.answering):
        with pytest.raises(ScopeNotIndexed):
            ask(MAIN)


# Letting go


def deleted_files() -> set[str]:
    """Return deleted files that this process still has open or mapped."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    links = [str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
    return {line.split()[-2] for line in maps if "(deleted)" in line} | {
        link.removesuffix(" (deleted)") for link in links if link.endswith("(deleted)")
    }


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system does not tell what a process has open")
def test_files_of_generations_that_are_gone_are_let_go(
    tmp_path: Path, publishing: LocalStore, serving: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the disk keeps them until somebody asks again; the collector of garbage is not waited for."""
    monkeypatch.setattr(open_readers, "_MAX_ALL_READ_BYTES", 0)  # so that all is mapped
    gc.collect()
    gc.disable()
    try:
        mine = lambda: {path for path in deleted_files() if path.startswith(str(tmp_path))}  # noqa: E731
        for name in "bcd":
            fill(publishing, [record(name)])
        publishing.reader(MAIN)
        assert mine()
        assert serving.refresh() == []
        assert mine() == set()
        assert everything(serving.reader(MAIN)) == {"a", "b", "c", "d"}
    finally:
        gc.enable()


def test_opening_a_generation_lets_go_of_others_once_a_minute(
    publishing: LocalStore, serving: LocalStore, clock: Clock
) -> None:
    """For who searches with the library alone, without a service that looks each minute."""
    old = weakref.ref(serving.reader(MAIN))
    for name in "bcd":
        fill(publishing, [record(name)])
    fill(publishing, [record("x", scope=DRAFT)], scope=DRAFT)
    serving.reader(DRAFT)
    assert old() is not None
    clock.now += 3 * open_readers.REFRESH_S
    fill(publishing, [record("y", scope=DRAFT)], scope=DRAFT)
    serving.reader(DRAFT)
    assert old() is None


def test_refreshing_keeps_what_is_whole_and_tells_what_is_not(
    tmp_path: Path, publishing: LocalStore, serving: LocalStore
) -> None:
    fill(publishing, [record("b")])
    half(vectors_of(live(tmp_path)))
    (error,) = serving.refresh()
    assert ".f32" in str(error)
    assert everything(serving.reader(MAIN)) == {"a"}


# Files that are cut under a reader

CUT = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from searchsocket.testing.store.samples import *
from searchsocket.stores.local import open_readers
from searchsocket.stores.local.store import LocalStore
store = LocalStore(Path(sys.argv[2]), "shop")
if sys.argv[3] == "mapped":
    open_readers._MAX_ALL_READ_BYTES = 0
reader = store.reader(MAIN)
before = reader.vectors.nearest(EAST, top_k=5)
(path,) = Path(sys.argv[2]).glob("main/*/packs/*.f32")
os.truncate(path, 0)
assert store.reader(MAIN).vectors.nearest(EAST, top_k=5) == before
print("answered")
"""


@pytest.mark.parametrize(("kind", "status"), [("read", 0), ("mapped", -signal.SIGBUS)])
def test_vectors_that_are_cut_short_under_a_reader_kill_only_who_maps_them(
    tmp_path: Path, kind: str, status: int
) -> None:
    """`cp` over a live file, or rsync --inplace. Small matrices are read into memory, where nothing can happen."""
    fill(LocalStore(tmp_path, "shop"), [record(f"k{n}") for n in range(2000)], random_units(2000))
    here = Path(__file__).parent.parent
    result = subprocess.run(
        [sys.executable, "-c", CUT, str(here), str(tmp_path), kind], capture_output=True, text=True, check=False
    )
    assert result.returncode == status, result.stderr
    assert result.stdout == ("answered\n" if kind == "read" else "")


def test_only_so_much_is_read_into_memory(
    tmp_path: Path, publishing: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond it vectors are mapped, as the page cache gives way and memory of a process does not."""
    bytes_ = sum(block.nbytes for block in publishing.reader(MAIN).vector_blocks())
    fill(publishing, [record("x", scope=DRAFT)], scope=DRAFT)
    monkeypatch.setattr(open_readers, "_MAX_ALL_READ_BYTES", bytes_)
    store = LocalStore(tmp_path, "shop")
    assert store.reader(MAIN).read_bytes == bytes_
    assert store.reader(DRAFT).read_bytes == 0
    vectors = store.reader(MAIN).vectors
    assert isinstance(vectors, MatrixVectors)
    assert not vectors.matrix.flags.writeable
    monkeypatch.setattr(open_readers, "MAX_READ_BYTES", bytes_ - 1)
    assert LocalStore(tmp_path, "shop").reader(MAIN).read_bytes == 0


# Whose index it is


def test_one_wrong_letter_in_the_project_file_is_damage_and_no_other_project(tmp_path: Path) -> None:
    fill(LocalStore(tmp_path, "shop"), [record("a")])
    path = tmp_path / "project.json"
    for place in [position for position, letter in enumerate(path.read_bytes()) if chr(letter).isalnum()]:
        data = bytearray(path.read_bytes())
        whole = bytes(data)
        data[place] ^= 1
        path.write_bytes(bytes(data))
        store = LocalStore(tmp_path, "shop")
        try:
            assert everything(store.reader(MAIN)) == {"a"}  # a key that is no longer known may be missing
        except IndexCorrupt as error:
            assert "project.json" in str(error)  # noqa: PT017  most letters matter
            assert len(store.repair(MAIN)) == 1
            assert path.read_bytes() == whole
        path.write_bytes(whole)
    with pytest.raises(ProjectMismatch):
        LocalStore(tmp_path, "blog").list_scopes()


def test_a_project_file_without_a_checksum_is_still_read(tmp_path: Path) -> None:
    fill(LocalStore(tmp_path, "shop"), [record("a")])
    (tmp_path / "project.json").write_text(json.dumps({"projectId": "shop"}))
    assert everything(LocalStore(tmp_path, "shop").reader(MAIN)) == {"a"}
    with pytest.raises(ProjectMismatch):
        LocalStore(tmp_path, "blog").list_scopes()
