"""Packs: what a change writes, what generations share, and when records are written again."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_index import fresh, live

from searchsocket.stores.local.build.rows import MAX_PACKS, stale_packs
from searchsocket.stores.local.layout import read_manifest
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import INFO, MAIN, everything, fill, random_units, record


def packs(root: Path) -> dict[str, int]:
    """Records in each pack of the live generation, by name."""
    return {pack.name: pack.records for pack in read_manifest(live(root / "main")).packs}


def filled(root: Path, count: int = 40) -> LocalStore:
    store = fresh(root)
    fill(store, [record(f"k{n:02}", f"/{n % 9}", f"zebra {n}") for n in range(count)], random_units(count))
    return store


def edit(store: LocalStore, number: int, text: str) -> None:
    store.upsert([record(f"k{number:02}", f"/{number % 9}", text)], random_units(1, number), MAIN)
    store.publish(MAIN, INFO)


def test_an_edit_writes_what_changed_and_links_the_rest(tmp_path: Path) -> None:
    store = filled(tmp_path)
    first = live(tmp_path / "main")
    edit(store, 3, "lamp")
    second = live(tmp_path / "main")
    assert list(packs(tmp_path).values()) == [40, 1]
    before = {path.name: path for path in (first / "packs").iterdir()}
    after = {path.name: path for path in (second / "packs").iterdir()}
    assert before.keys() < after.keys()
    assert all(after[name].samefile(path) for name, path in before.items())


def test_an_edit_syncs_what_it_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It synced each linked file too, a hundred for a large site."""
    store = filled(tmp_path)
    first = live(tmp_path / "main")
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    edit(store, 3, "lamp")
    second = live(tmp_path / "main")
    linked = {path.stat().st_ino for path in first.rglob("*") if path.is_file()}
    written = {path.stat().st_ino for path in second.rglob("*") if path.is_file()} - linked
    assert written
    assert written <= set(synced)
    assert not linked & set(synced)


def test_many_edits_make_few_packs_and_the_answers_of_a_new_index(tmp_path: Path) -> None:
    store = filled(tmp_path / "edited")
    sizes = []
    for number in range(36):
        edit(store, number, f"lamp {number}")
        sizes.append(len(packs(tmp_path / "edited")))
    assert max(sizes) <= MAX_PACKS
    new = LocalStore(tmp_path / "new", "shop")
    ids = [f"k{n:02}" for n in range(40)]
    reader = fresh(tmp_path / "edited").reader(MAIN)
    vectors = reader.vectors.vectors_of(ids)
    expected = fill(new, reader.catalogue.records(ids), vectors)
    assert everything(reader) == everything(expected) == set(ids)
    for text in ("lamp 7", "zebra 38", "lamp"):
        assert reader.words.search(text, top_k=9) == expected.words.search(text, top_k=9)
    for vector in random_units(5):
        assert reader.vectors.nearest(vector, top_k=7) == expected.vectors.nearest(vector, top_k=7)
    assert fresh(tmp_path / "edited").verify(MAIN) == []


def test_a_large_change_writes_one_pack(tmp_path: Path) -> None:
    store = filled(tmp_path)
    fill(store, [record(f"k{n:02}", f"/{n % 9}", f"rope {n}") for n in range(30)], random_units(30, 9))
    assert list(packs(tmp_path).values()) == [40]


def test_a_pack_of_which_little_is_used_is_written_again(tmp_path: Path) -> None:
    store = filled(tmp_path)
    (first,) = packs(tmp_path)
    for start in (0, 11, 22):
        store.delete_by_ids([f"k{n:02}" for n in range(start, start + 11)], MAIN)
        store.publish(MAIN, INFO)
        assert (first in packs(tmp_path)) == (start == 0)
    assert list(packs(tmp_path).values()) == [7]
    assert everything(fresh(tmp_path).reader(MAIN)) == {f"k{n:02}" for n in range(33, 40)}


def test_an_index_without_records_has_no_pack(tmp_path: Path) -> None:
    store = filled(tmp_path, 3)
    store.delete_by_ids(["k00", "k01", "k02"], MAIN)
    store.publish(MAIN, INFO)
    assert packs(tmp_path) == {}
    assert fresh(tmp_path).verify(MAIN) == []


@pytest.mark.parametrize("first", [True, False])
def test_equal_records_make_packs_of_one_name(tmp_path: Path, first: bool) -> None:
    for name in ("a", "b"):
        store = filled(tmp_path / name)
        if not first:
            edit(store, 3, "lamp")
    assert packs(tmp_path / "a") == packs(tmp_path / "b")


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900)), max_size=20))
def test_packs_stay_few_and_used(drawn: list[tuple[int, int]]) -> None:
    sizes = [used + unused for used, unused in drawn]
    counts = {pack: used for pack, (used, _) in enumerate(drawn) if used}
    stale = stale_packs(counts, sizes)
    stays = counts.keys() - stale
    assert stale <= counts.keys()
    assert all(2 * counts[pack] >= sizes[pack] for pack in stays)
    if len(counts) <= MAX_PACKS:
        assert len(stays) < MAX_PACKS
