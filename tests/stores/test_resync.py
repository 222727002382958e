"""Rows elsewhere that are gone, wrong or too many are made those of the records again, and nothing else is touched."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from contract.store.samples import DRAFT, EAST, INFO, MAIN, NORTH, UP, everything, fill, record
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store.vectors import MemoryPlace, MemoryVectors

from searchsocket.errors import VectorsMissing
from searchsocket.stores.base.drift import Drift, Resynced
from searchsocket.stores.base.vectors import row_of
from searchsocket.stores.local import LocalStore
from searchsocket.types import Generation, Record, Vector

BEFORE = "20000101T000000Z-aaaaaa"  # a generation that the rows of no test are of


def known(records: Sequence[Record]) -> Mapping[str, Vector]:
    return {one.id: EAST for one in records}


@pytest.fixture
def place() -> MemoryPlace:
    return MemoryPlace()


@pytest.fixture
def store(tmp_path: Path, place: MemoryPlace) -> LocalStore:
    """Two generations: c is of the first alone, d of the second."""
    return filled(tmp_path, place)


def filled(folder: Path, place: MemoryPlace) -> LocalStore:
    store = LocalStore(folder, "shop", vectors=MemoryVectors(place))
    fill(store, [record(name) for name in "abc"])
    store.delete_by_ids(["c"], MAIN)
    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    store.publish(MAIN, INFO)
    return store


def reopened(store: LocalStore, place: MemoryPlace) -> LocalStore:
    """Memory's readers hold the rows that they were opened over."""
    return LocalStore(store.root, "shop", vectors=MemoryVectors(place))


def live(store: LocalStore) -> Generation:
    generation = store.generation(MAIN)
    assert generation
    return generation


def test_what_is_whole_is_left_alone(store: LocalStore) -> None:
    assert not store.drift(MAIN, known)
    assert store.resync(MAIN, known) == Resynced()


def test_everything_comes_back_for_both_generations(store: LocalStore, place: MemoryPlace) -> None:
    place.rows.clear()
    place.registered.clear()
    place.owner = ""
    assert str(store.drift(MAIN, known)) == "3 missing"
    assert store.resync(MAIN, known).written == 4
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}
    store.rollback(MAIN)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "c"}


def test_rows_that_are_wrong_foreign_or_twice_there_go(store: LocalStore, place: MemoryPlace) -> None:
    index = MemoryVectors(place)
    index.erase(live(store), ["a", "b"])
    others = [row_of(record("a"), NORTH), row_of(record("foreign"), UP), row_of(record("d"), EAST)]
    index.restore(live(store), others, None)
    drift = store.drift(MAIN, known)
    assert (drift.missing, drift.different, sorted(drift.surplus)) == (["b"], ["a"], ["d", "foreign"])
    assert store.resync(MAIN, known) == Resynced((), written=3, deleted=3, lacking=0)
    assert not store.drift(MAIN, known)
    assert reopened(store, place).reader(MAIN).vectors.similarities(EAST, ["a", "b", "d"]) == [1.0, 1.0, 1.0]
    store.rollback(MAIN)
    assert not store.drift(MAIN, known)


def test_what_a_run_that_died_left_is_forgotten(store: LocalStore, place: MemoryPlace) -> None:
    rows = len(place.rows["main"])
    died = Generation("20990101T000000Z-aaaaaa", "main", "shop", "hash", 3, "", 0, 0, "")
    MemoryVectors(place).stage(died, [row_of(record("x"), EAST)], ["a"])
    store.resync(MAIN, known)
    assert len(place.rows["main"]) == rows
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}


def test_other_scopes_are_not_touched(store: LocalStore, place: MemoryPlace) -> None:
    store.upsert([record("z", scope=DRAFT)], EAST[np.newaxis], DRAFT)
    store.publish(DRAFT, INFO)
    held = list(place.rows[DRAFT.name])
    del place.rows["main"]
    store.resync(MAIN, known)
    assert place.rows[DRAFT.name] == held


def test_vectors_that_are_not_at_hand_are_counted(store: LocalStore, place: MemoryPlace) -> None:
    place.rows["main"].clear()

    def some(records: Sequence[Record]) -> Mapping[str, Vector]:
        return {id_: vector for id_, vector in known(records).items() if id_ == "a"}

    assert store.resync(MAIN, some).lacking == 3


def test_the_store_with_vectors_of_its_own_has_nothing_to_look_after(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, "shop")
    fill(store, [record("a")])
    assert (store.elsewhere, store.drift(MAIN, known), store.resync(MAIN, known)) == (None, Drift(), Resynced())


@pytest.mark.parametrize("misdated", [{"born": BEFORE}, {"born": "20990101T000000Z-aaaaaa"}, {"died": BEFORE}])
def test_a_row_that_says_another_time_is_found_and_written_again(
    misdated: dict[str, str], store: LocalStore, place: MemoryPlace
) -> None:
    """One that says an earlier one than its record was written at is in no answer, though all else of it is right."""
    place.rows["main"] = [replace(kept, **misdated) if kept.row.id == "a" else kept for kept in place.rows["main"]]
    with pytest.raises(VectorsMissing):
        everything(reopened(store, place).reader(MAIN))
    assert str(store.drift(MAIN, known)) in ("1 missing", "1 different")
    assert store.resync(MAIN, known).written == 1
    assert not store.drift(MAIN, known)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}
    store.rollback(MAIN)
    assert not store.drift(MAIN, known)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdx"), st.sampled_from("-12<>!")), max_size=8))
def test_whatever_happened_to_the_rows_they_are_right_afterwards(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, str]]
) -> None:
    place = MemoryPlace()
    store = filled(tmp_path_factory.mktemp("any"), place)
    index = MemoryVectors(place)
    both = sorted(store.kept(MAIN), key=lambda generation: generation.name)
    for id_, what in events:
        if what == "-":
            index.erase(both[1], [id_])
        elif what in "<>!":
            misdated = {"<": {"born": BEFORE}, ">": {"born": both[1].name}, "!": {"died": both[1].name}}[what]
            place.rows["main"] = [
                replace(kept, **misdated) if kept.row.id == id_ else kept for kept in place.rows["main"]
            ]
        else:
            index.restore(both[int(what) - 1], [row_of(record(id_), NORTH)], None)
    store.resync(MAIN, known)
    assert not store.drift(MAIN, known)
    store.rollback(MAIN)
    assert not store.drift(MAIN, known)
