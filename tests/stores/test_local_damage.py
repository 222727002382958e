"""What the embedded index does when files are damaged, half there, or a disk refuses (spec 6.4)."""

import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from contract.store.samples import EAST, INFO, MAIN, NORTH, everything, fill, ids, random_units, record

from searchsocket.errors import IndexCorrupt, ProjectMismatch, ScopeNotIndexed, SearchSocketError, StateUnavailable
from searchsocket.stores.base import Health
from searchsocket.stores.local import LocalStore
from searchsocket.stores.words import segments as word_segments
from searchsocket.system.files import write_atomic
from searchsocket.types import Filter, Scope


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def folder(root: Path) -> Path:
    """The scope's folder, with a published generation of three records."""
    fill(LocalStore(root, "shop"), [record(name, f"/{name}", f"zebra {name}") for name in "abc"], random_units(3))
    return root / "main"


def live(folder: Path) -> Path:
    return folder / (folder / "CURRENT").read_text().splitlines()[0]


def fresh(root: Path) -> LocalStore:
    return LocalStore(root, "shop")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every byte below a folder; locks are no data."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


GENERATION_FILES = [
    "manifest.json",
    "records.db",
    "vectors.f32",
    "order.u32",
    "ids.bin",
    "facts.npz",
    "words/meta.json",
]
DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\n{"),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", [*GENERATION_FILES, "words/*.term", "words/*.idx", "words/*.fast"])
def test_a_damaged_file_is_named_with_a_way_out(root: Path, folder: Path, name: str, damage: str) -> None:
    """Nobody meets a parser's message (failure 74), and damage never reads as an empty index (failure 45)."""
    (path,) = live(folder).glob(name)
    DAMAGE[damage](path)
    store = fresh(root)
    for act in (lambda: store.reader(MAIN), lambda: list(store.fingerprints(MAIN))):
        with pytest.raises(IndexCorrupt, match="--force") as caught:
            act()
        assert path.name in str(caught.value)
    assert path.name in "".join(store.verify(MAIN))
    store.delete_scope(MAIN)
    assert everything(fill(store, [record("d")])) == {"d"}


@pytest.mark.parametrize("name", [*GENERATION_FILES[1:], "words/*.term", "words/*.pos"])
def test_a_flipped_bit_is_found_by_verify(root: Path, folder: Path, name: str) -> None:
    (path,) = live(folder).glob(name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    assert path.name in "".join(fresh(root).verify(MAIN))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"nonsense\n", b"../../etc\n", b"20260101T000000Z-abcdef\n"])
def test_a_damaged_current_is_named(root: Path, folder: Path, content: bytes) -> None:
    (folder / "CURRENT").write_bytes(content)
    store = fresh(root)
    for act in (lambda: store.reader(MAIN), lambda: store.generation(MAIN), lambda: store.publish(MAIN, INFO)):
        with pytest.raises(IndexCorrupt, match="--force"):
            act()
    health = store.health()
    assert not health.ok
    assert "main" in health.details


def test_a_damaged_scope_does_not_hide_the_others(root: Path, folder: Path) -> None:
    store = fresh(root)
    other = Scope("shop", "other")
    fill(store, [record("x", scope=other)], scope=other)
    (live(folder) / "manifest.json").write_bytes(b"{")
    assert [found.scope for found in store.list_scopes()] == ["other"]
    assert "manifest.json" in store.health().details


def test_a_manifest_of_another_format_is_refused(root: Path, folder: Path) -> None:
    path = live(folder) / "manifest.json"
    path.write_text(re.sub('"format": [0-9]+', '"format": 99', path.read_text()))
    with pytest.raises(IndexCorrupt, match="another version"):
        fresh(root).reader(MAIN)


def test_a_project_file_that_is_damaged_is_named(root: Path, folder: Path) -> None:
    (root / "project.json").write_bytes(b"{")
    with pytest.raises(IndexCorrupt, match=r"project\.json"):
        fresh(root).reader(MAIN)


def test_a_second_project_is_refused(root: Path, folder: Path) -> None:
    """Keys hold no project: two in one folder would overwrite each other (failure 42)."""
    store = LocalStore(root, "blog")
    scope = Scope("blog", "main")
    for act in (
        lambda: store.upsert([record("a", scope=scope)], EAST[np.newaxis], scope),
        lambda: store.delete_scope(scope),
        lambda: store.reader(scope),
        lambda: store.list_scopes(),
    ):
        with pytest.raises(ProjectMismatch, match="'shop'"):
            act()
    (root / "project.json").unlink()  # and the generations themselves know whose they are
    with pytest.raises(ProjectMismatch, match="'shop'"):
        LocalStore(root, "blog").reader(scope)
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c"}


def test_damage_in_live_vectors_is_not_published_again(root: Path, folder: Path) -> None:
    """Rows are copied from the live matrix, so they are checked like new ones."""
    path = live(folder) / "vectors.f32"
    vectors = np.fromfile(path, np.float32)
    vectors[3] = np.nan
    vectors.tofile(path)
    store = fresh(root)
    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    with pytest.raises(IndexCorrupt):
        store.publish(MAIN, INFO)
    assert len([path for path in folder.iterdir() if path.is_dir() and path.name[0] != "."]) == 1


def test_rollback_leaves_a_damaged_generation(root: Path, folder: Path) -> None:
    store = fresh(root)
    fill(store, [record("d")])
    (live(folder) / "records.db").write_bytes(b"")
    with pytest.raises(IndexCorrupt, match="rollback"):
        fresh(root).reader(MAIN)
    fresh(root).rollback(MAIN)
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c"}


def test_rollback_to_a_damaged_generation_is_refused(root: Path, folder: Path) -> None:
    first = live(folder)
    fill(fresh(root), [record("d")])
    (first / "vectors.f32").write_bytes(b"")
    with pytest.raises(IndexCorrupt):
        fresh(root).rollback(MAIN)
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c", "d"}


# Repair


def replace_damaged(path: Path, damage: str) -> None:
    """Damage a file, but under no reader that has it mapped, and in no other generation that it is linked to."""
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    path.unlink()
    if damage == "flipped":
        data = copy.read_bytes()
        copy.write_bytes(data[:-1] + bytes([data[-1] ^ 4]))
    else:
        DAMAGE[damage](copy)
    if copy.exists():
        copy.rename(path)


@pytest.mark.parametrize("damage", [*DAMAGE, "flipped"])
@pytest.mark.parametrize("name", [*GENERATION_FILES, "words/*.term", "words/*.idx", "words/*.fast", "words/*.pos"])
def test_repair_goes_back_to_the_generation_before_or_to_none(root: Path, folder: Path, name: str, damage: str) -> None:
    """A damaged index never stops the runs that would build it again (failure 74)."""
    fill(fresh(root), [record("d")])
    path = next(live(folder).glob(name))
    replace_damaged(path, damage)
    (told,) = fresh(root).repair(MAIN)
    assert path.name in told
    assert "run `" not in told
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c"}
    replace_damaged(next(live(folder).glob(name)), damage)
    assert len(fresh(root).repair(MAIN)) == 1
    with pytest.raises(ScopeNotIndexed):
        fresh(root).reader(MAIN)
    assert everything(fill(fresh(root), [record("e")])) == {"e"}
    assert fresh(root).verify(MAIN) == []


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"nonsense\n", b"20260101T000000Z-abcdef\n"])
def test_a_damaged_current_is_taken_away(root: Path, folder: Path, content: bytes) -> None:
    (folder / "CURRENT").write_bytes(content)
    assert len(fresh(root).repair(MAIN)) == 1
    assert fresh(root).generation(MAIN) is None
    assert everything(fill(fresh(root), [record("e")])) == {"e"}


def test_the_file_that_names_the_project_is_written_again(root: Path, folder: Path) -> None:
    (root / "project.json").write_bytes(b"{")
    with pytest.raises(ProjectMismatch, match="'shop'"):  # the generations know whose they are
        LocalStore(root, "blog").repair(Scope("blog", "main"))
    assert (root / "project.json").read_bytes() == b"{"
    (told,) = fresh(root).repair(MAIN)
    assert "project.json" in told
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c"}


def test_a_wrong_byte_is_found_when_a_generation_is_opened(root: Path, folder: Path) -> None:
    """A flipped bit in a vector or a text would be a wrong answer, and the next publish would copy it."""
    for path in (path for path in sorted(live(folder).rglob("*")) if path.is_file() and path.suffix != ".lock"):
        data = path.read_bytes()
        if not data or path.name == "manifest.json":
            continue
        write_atomic(path, data[:-1] + bytes([data[-1] ^ 1]))
        with pytest.raises(IndexCorrupt, match=path.name):
            fresh(root).reader(MAIN)
        write_atomic(path, data)
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c"}


def test_a_run_that_died_while_it_named_the_project_leaves_nothing(root: Path) -> None:
    root.mkdir()
    (root / ".tmp-0123").write_bytes(b"{")
    fill(fresh(root), [record("a")])
    assert [path.name for path in root.iterdir() if path.name.startswith(".tmp-")] == []


# Dead writers


def test_what_dead_writers_left_is_removed_by_the_next_publish(root: Path, folder: Path) -> None:
    for name in (".building-0123", ".removed-20260101T000000Z-abcdef", "20250101T000000Z-abcdef"):
        shutil.copytree(live(folder), folder / name)
    (folder / ".tmp-abc").write_bytes(b"x")
    store = fresh(root)
    assert everything(store.reader(MAIN)) == {"a", "b", "c"}
    store.upsert([record("dead")], EAST[np.newaxis], MAIN)
    store = fresh(root)  # the next run starts by dropping what the dead one staged
    store.discard(MAIN)
    previous = live(folder).name
    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    store.publish(MAIN, INFO)
    assert everything(store.reader(MAIN)) == {"a", "b", "c", "d"}
    assert {path.name for path in folder.iterdir()} == {"CURRENT", previous, live(folder).name}


@pytest.mark.parametrize("name", ["changes.db", "vectors.f32"])
def test_damaged_staging_is_an_error_and_discard_heals_it(root: Path, folder: Path, name: str) -> None:
    store = fresh(root)
    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    store = fresh(root)
    (folder / ".staging" / name).write_bytes(b"not what it was, and not of the right length at all")
    with pytest.raises(SearchSocketError):
        store.publish(MAIN, INFO)
    store.discard(MAIN)
    assert everything(fill(store, [record("e")])) == {"a", "b", "c", "e"}


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from contract.store.samples import *
from searchsocket.stores.local import LocalStore
from searchsocket.stores.words import segments as word_segments

calls = [int(sys.argv[3])]
def dying(event, arguments):
    # Every step that touches the disk is a place to die: seeded, so a failure can be repeated.
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.link", "shutil.rmtree", "sqlite3.connect"):
        calls[0] -= 1
        if calls[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

store = LocalStore(Path(sys.argv[2]), "shop")
store.discard(MAIN)
store.upsert([record("d", "/d", "zebra d")], NORTH[np.newaxis], MAIN)
sys.addaudithook(dying)
store.delete_by_ids(["a"], MAIN)
store.publish(MAIN, INFO)
"""


@pytest.mark.parametrize("step", [1, 3, 6, 9, 13, 18, 24, 30, 40, 55, 75])
def test_a_killed_publish_leaves_the_old_or_the_new_index_whole(root: Path, folder: Path, step: int) -> None:
    """kill -9 at any moment: readers go on, the next run completes, nothing stays behind (spec 12.4)."""
    tests = str(Path(__file__).parent.parent)
    done = subprocess.run([sys.executable, "-c", KILLED, tests, str(root), str(step)], capture_output=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    store = fresh(root)
    assert everything(store.reader(MAIN)) in ({"a", "b", "c"}, {"b", "c", "d"})
    assert store.verify(MAIN) == []
    store.discard(MAIN)
    store.upsert([record("d", "/d", "zebra d"), record("e", "/e")], np.stack([NORTH, EAST]), MAIN)
    store.delete_by_ids(["a"], MAIN)
    store.publish(MAIN, INFO)
    assert everything(store.reader(MAIN)) == {"b", "c", "d", "e"}
    assert ids(store.reader(MAIN).words.search("zebra", top_k=9)) == ["b", "c", "d"]
    assert store.verify(MAIN) == []
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


# Disks that refuse


@pytest.mark.parametrize("step", ["copy_file_range", "fsync", "replace", "mkdir", "open"])
def test_a_full_disk_leaves_the_live_index(
    root: Path, folder: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(folder)
    store = fresh(root)
    fill(store, [record(f"k{n}") for n in range(20)])
    before = snapshot(folder)
    store.upsert([record("d")], EAST[np.newaxis], MAIN)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = {"mkdir": "pathlib.Path.mkdir", "open": "builtins.open"}
    monkeypatch.setattr(target.get(step, f"os.{step}"), refuse)
    with pytest.raises(StateUnavailable, match="disk is full"):
        store.publish(MAIN, INFO)
    monkeypatch.undo()
    assert everything(store.reader(MAIN)) == {"a", "b", "c", *(f"k{n}" for n in range(20))}
    store.discard(MAIN)
    after = snapshot(folder)
    assert {name: after.get(name) for name in before} == before
    fill(store, [record("e")])
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB, where this user may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("this user may not mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_truly_full_disk_is_an_error_and_harms_nothing(small_disk: Path) -> None:
    store = fresh(small_disk / "index")
    fill(store, [record("a")])

    def publish_until_full() -> None:
        for n in range(40):
            texts = [f"{n} {m} " + "words and more " * 200 for m in range(50)]
            fill(store, [record(f"{n}-{m}", f"/{n}/{m}", text) for m, text in enumerate(texts)], random_units(50))

    with pytest.raises(StateUnavailable):
        publish_until_full()
    store.discard(MAIN)
    survived = fresh(small_disk / "index")
    assert survived.verify(MAIN) == []
    assert "a" in everything(survived.reader(MAIN))


@pytest.fixture
def read_only(small_disk: Path) -> Path:
    """An index on a file system that refuses to be written."""
    root = small_disk / "index"
    fill(fresh(root), [record(name, f"/{name}", f"zebra {name}") for name in "abc"], random_units(3))
    assert list(root.rglob("*.lock"))  # which could not be opened for writing
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    return root


def test_a_read_only_index_is_read(read_only: Path) -> None:
    """A server reads what a build machine wrote; only writing is refused, with the place named."""
    store = fresh(read_only)
    reader = store.reader(MAIN)
    assert everything(reader) == {"a", "b", "c"}
    assert ids(reader.words.search("zebra", top_k=9)) == ["a", "b", "c"]
    assert ids(reader.words.search('"zebra b"', top_k=9)) == ["b"]
    assert [found.scope for found in store.list_scopes()] == ["main"]
    assert store.verify(MAIN) == []
    assert store.health() == Health(True, f"{read_only} is read-only")
    for act in (
        lambda: store.upsert([record("d")], EAST[np.newaxis], MAIN),
        lambda: store.publish(MAIN, INFO),
        lambda: store.delete_scope(MAIN),
    ):
        with pytest.raises(StateUnavailable, match=str(read_only)):
            act()


# Links between generations


def test_publishing_never_writes_through_a_link(root: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of words are shared by hard links: the live generation keeps every byte."""
    monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", 40)
    store = fresh(root)
    fill(store, [record(f"k{n:03}", f"/{n}", f"zebra {n}") for n in range(100)], random_units(100))
    kept = live(folder)
    before = snapshot(kept)
    records = [record("k007", "/7", "giraffe"), record("new", "/new", weight=0.0)]
    store.upsert(records, random_units(2), MAIN)
    store.delete_by_ids(["k003"], MAIN)
    store.publish(MAIN, INFO)
    shared = [path for path in (live(folder) / "words").iterdir() if path.stat().st_nlink > 1]
    assert shared, "nothing was linked, so this test shows nothing"
    assert snapshot(kept) == before
    assert store.verify(MAIN) == []
    store.rollback(MAIN)
    assert store.verify(MAIN) == []
    assert len(store.reader(MAIN).words.search("zebra", top_k=200)) == 103


def test_many_small_publishes_keep_the_index_small(root: Path, folder: Path) -> None:
    """Words of deleted records do not pile up."""
    store = fresh(root)
    fill(store, [record(f"k{n:03}", f"/{n}", f"zebra {n}") for n in range(30)], random_units(30))
    for n in range(12):
        fill(store, [record(f"k{n:03}", f"/{n}", f"giraffe {n}")], random_units(1, n))
    reader = store.reader(MAIN)
    assert len(reader.words.search("giraffe", top_k=99)) == 12
    assert len(list((live(folder) / "words").glob("*.idx"))) == 1
    assert store.verify(MAIN) == []
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 2


def test_scopes_not_indexed_yet_say_so(root: Path) -> None:
    with pytest.raises(ScopeNotIndexed, match="searchsocket index"):
        fresh(root).reader(MAIN)
    assert not root.exists()


@pytest.mark.parametrize("seed", range(4))
def test_random_damage_is_an_error_or_an_answer(root: Path, folder: Path, seed: int) -> None:
    """Whatever byte is wrong in whatever file: never a panic, never a raw error of a library."""
    files = [path for path in sorted(live(folder).rglob("*")) if path.is_file() and path.stat().st_size]
    rng = random.Random(seed)
    for _ in range(40):
        path = rng.choice(files)
        data = path.read_bytes()
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 8])):
            damaged[rng.randrange(len(data))] = rng.randrange(256)
        # Replaced, not rewritten: a file that is mapped by an older reader must not shrink under it.
        write_atomic(path, bytes(damaged))
        with suppress(SearchSocketError):
            reader = fresh(root).reader(MAIN)
            reader.vectors.nearest(EAST, top_k=2)
            reader.words.search('zebra "zebra b" zebrq', top_k=9)
            reader.catalogue.records(
                [hit.id for hit in reader.vectors.nearest(EAST, top_k=9, where=Filter("/a", ("t",)))]
            )
        assert fresh(root).verify(MAIN) != [] or bytes(damaged) == data or path.suffix == ".lock"
        write_atomic(path, data)
    assert fresh(root).verify(MAIN) == []


def test_vectors_that_are_not_finite_never_read_as_no_results(root: Path, folder: Path) -> None:
    path = live(folder) / "vectors.f32"
    np.full(path.stat().st_size // 4, np.nan, np.float32).tofile(path)
    with pytest.raises(IndexCorrupt, match=r"vectors\.f32"):
        fresh(root).reader(MAIN).vectors.nearest(EAST, top_k=2)


def test_staging_on_a_full_disk_says_full(root: Path, folder: Path) -> None:
    """Where SQLite rolls back by itself, a second rollback fails, which must not hide why."""
    store = fresh(root)
    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    connection = store._staging["main"]._connection
    connection.execute("PRAGMA cache_size = 1")  # so that the file grows within the transaction
    connection.execute("PRAGMA max_page_count = 30")
    with pytest.raises(StateUnavailable, match="disk is full"):
        store.upsert([record(f"k{n}", text="x" * 3000) for n in range(200)], random_units(200), MAIN)
