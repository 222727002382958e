"""The embedded index after a killed writer or a disk error (spec 6.4)."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from local_index import fresh, live, snapshot

from searchsocket.errors import SearchSocketError, StateUnavailable
from searchsocket.stores.base.vector_store import Health
from searchsocket.testing.store.samples import EAST, INFO, MAIN, NORTH, everything, fill, ids, random_units, record

# Dead writers


def test_files_of_dead_writers_are_removed_by_the_next_publish(root: Path, folder: Path) -> None:
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
    assert {path.name for path in folder.iterdir()} - {"VERIFIED"} == {"CURRENT", previous, live(folder).name}


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
from searchsocket.testing.store.samples import *
from searchsocket.stores.local.store import LocalStore

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
    result = subprocess.run(
        [sys.executable, "-c", KILLED, tests, str(root), str(step)], capture_output=True, check=False
    )
    assert result.returncode in (0, -signal.SIGKILL), result.stderr.decode()
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


@pytest.mark.parametrize("step", ["fsync", "replace", "mkdir", "open"])
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
    assert [generation.scope for generation in store.list_scopes()] == ["main"]
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


def test_publishing_never_writes_through_a_link(root: Path, folder: Path) -> None:
    """Packs are shared by hard links: the live generation keeps every byte."""
    store = fresh(root)
    fill(store, [record(f"k{n:03}", f"/{n}", f"zebra {n}") for n in range(100)], random_units(100))
    live_folder = live(folder)
    before = snapshot(live_folder)
    records = [record("k007", "/7", "giraffe"), record("new", "/new", weight=0.0)]
    store.upsert(records, random_units(2), MAIN)
    store.delete_by_ids(["k003"], MAIN)
    store.publish(MAIN, INFO)
    shared = [path for path in (live(folder) / "packs").iterdir() if path.stat().st_nlink > 1]
    assert shared, "nothing was linked, so this test shows nothing"
    assert snapshot(live_folder) == before
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
    assert len(list((live(folder) / "packs").glob("*.words"))) < 9
    assert store.verify(MAIN) == []
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 2


def test_staging_on_a_full_disk_says_full(root: Path, folder: Path) -> None:
    """SQLite rolls back by itself, so a second rollback fails; that error must not hide the first one."""
    store = fresh(root)
    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    connection = store._staging["main"]._connection
    connection.execute("PRAGMA cache_size = 1")  # so that the file grows within the transaction
    connection.execute("PRAGMA max_page_count = 30")
    with pytest.raises(StateUnavailable, match="disk is full"):
        store.upsert([record(f"k{n}", text="x" * 3000) for n in range(200)], random_units(200), MAIN)
