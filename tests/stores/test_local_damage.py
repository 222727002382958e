"""The embedded index with damaged or incomplete files (spec 6.4)."""

import random
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from local_index import fresh, live, records_of, vectors_of

from searchsocket.errors import (
    IndexCorrupt,
    IndexFormat,
    NewerRelease,
    ProjectMismatch,
    ScopeNotIndexed,
    SearchSocketError,
)
from searchsocket.stores.local.layout import FORMAT, OLDER_FORMATS
from searchsocket.stores.local.store import LocalStore
from searchsocket.system.files import write_atomic
from searchsocket.testing.store.samples import EAST, INFO, MAIN, everything, fill, record
from searchsocket.types import Filter, Scope
from tests.older_index import UNREADABLE, make_older, set_format

GENERATION_FILES = [
    "manifest.json",
    "packs/*.db",
    "packs/*.f32",
    "rows/000000.npy",
    "rows/000001.npy",
    "facts.npz.zst",
    "packs/*.words",
]
# A new file in the place of the old one: nobody cuts off a file under a thread that has it mapped.
DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: write_atomic(path, b""),
    "half": lambda path: write_atomic(path, path.read_bytes()[: path.stat().st_size // 2]),
    "longer": lambda path: write_atomic(path, path.read_bytes() + b"\n{"),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", GENERATION_FILES)
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


def test_a_damaged_scope_is_deleted_and_written_again(root: Path, folder: Path) -> None:
    DAMAGE["half"](records_of(live(folder)))
    store = fresh(root)
    store.delete_scope(MAIN)
    assert everything(fill(store, [record("d")])) == {"d"}


@pytest.mark.parametrize("name", GENERATION_FILES[1:])
def test_a_flipped_bit_is_found_by_verify(root: Path, folder: Path, name: str) -> None:
    (path,) = live(folder).glob(name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    write_atomic(path, data)
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
    assert [generation.scope for generation in store.list_scopes()] == ["other"]
    assert "manifest.json" in store.health().details


def test_a_manifest_of_an_older_format_is_not_called_damaged(root: Path, folder: Path) -> None:
    make_older(root, folder.name)
    formats = f"format {UNREADABLE}, this one reads {OLDER_FORMATS[0]} to {FORMAT}"
    with pytest.raises(IndexFormat, match=f"{formats}.*run `searchsocket index`"):
        fresh(root).reader(MAIN)
    assert "older release" in fresh(root).health().details


def test_a_generation_of_a_newer_release_is_neither_read_nor_repaired(root: Path, folder: Path) -> None:
    set_format(root, "main", FORMAT + 1)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(NewerRelease, match="upgrade searchsocket"):
        fresh(root).reader(MAIN)
    with pytest.raises(NewerRelease):
        fresh(root).repair(MAIN)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_wrong_byte_in_the_format_is_damage_and_no_newer_release(root: Path, folder: Path) -> None:
    path = live(folder) / "manifest.json"
    path.write_text(re.sub('"format": [0-9]+', '"format": 99', path.read_text()))
    with pytest.raises(IndexCorrupt, match="was changed"):
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
    path = vectors_of(live(folder))
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
    write_atomic(records_of(live(folder)), b"")
    with pytest.raises(IndexCorrupt, match="rollback"):
        fresh(root).reader(MAIN)
    fresh(root).rollback(MAIN)
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c"}


def test_rollback_to_a_damaged_generation_is_refused(root: Path, folder: Path) -> None:
    first = live(folder)
    fill(fresh(root), [record("d")])
    write_atomic(vectors_of(first), b"")
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


EACH_FILE = pytest.mark.parametrize("name", GENERATION_FILES)


@pytest.mark.parametrize("damage", [*DAMAGE, "flipped"])
@EACH_FILE
def test_repair_goes_back_to_the_generation_before(root: Path, folder_of_two: Path, name: str, damage: str) -> None:
    """A damaged index never stops the runs that would build it again (failure 74)."""
    path = next(live(folder_of_two).glob(name))
    replace_damaged(path, damage)
    (warnings,) = fresh(root).repair(MAIN)
    assert path.name in warnings
    assert "run `" not in warnings
    assert everything(fresh(root).reader(MAIN)) == {"a", "b", "c"}


@EACH_FILE
def test_repair_of_the_only_generation_leaves_none(root: Path, folder: Path, name: str) -> None:
    replace_damaged(next(live(folder).glob(name)), "half")
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
    (damage,) = fresh(root).repair(MAIN)
    assert "project.json" in damage
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
    path = vectors_of(live(folder))
    np.full(path.stat().st_size // 4, np.nan, np.float32).tofile(path)
    with pytest.raises(IndexCorrupt, match="packs"):
        fresh(root).reader(MAIN).vectors.nearest(EAST, top_k=2)
