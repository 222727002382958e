"""A resync writes every remote row of a scope again from records and vectors at hand, and touches no other scope."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store.vectors import MemoryPlace, MemoryVectors

from searchsocket.errors import VectorBackendUnavailable, VectorsMissing
from searchsocket.stores.base.vectors import ResyncReport, row_of
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import (
    DRAFT,
    EAST,
    INFO,
    MAIN,
    NORTH,
    UP,
    ConstantVectors,
    everything,
    fill,
    record,
)
from searchsocket.types import Generation, Record, Vectors

BEFORE = "20000101T000000Z-aaaaaa"  # no row of a test was written by this generation
DEAD = "20990101T000000Z-aaaaaa"
Rows = list[tuple[str, str, str, list[float]]]


@pytest.fixture
def place() -> MemoryPlace:
    return MemoryPlace()


@pytest.fixture
def store(tmp_path: Path, place: MemoryPlace) -> LocalStore:
    return filled(tmp_path, place)


def filled(folder: Path, place: MemoryPlace) -> LocalStore:
    """Two generations: c is in the first alone, d in the second."""
    store = LocalStore(folder, "shop", vectors=MemoryVectors(place))
    fill(store, [record(name) for name in "abc"])
    store.delete_by_ids(["c"], MAIN)
    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    store.publish(MAIN, INFO)
    return store


def reopened(store: LocalStore, place: MemoryPlace) -> LocalStore:
    """Readers in memory keep the rows that they were opened over."""
    return LocalStore(store.root, "shop", vectors=MemoryVectors(place))


def live(store: LocalStore) -> Generation:
    generation = store.generation(MAIN)
    assert generation
    return generation


def rows(place: MemoryPlace, scope: str = "main") -> Rows:
    return sorted((row.row.id, row.born, row.died, row.row.vector.tolist()) for row in place.rows[scope])


def test_rows_that_are_whole_are_the_same_afterwards(store: LocalStore, place: MemoryPlace) -> None:
    before, registered = rows(place), dict(place.registered)
    assert store.resync(MAIN, ConstantVectors()) == ResyncReport(rows=4)
    assert (rows(place), place.registered) == (before, registered)


def test_everything_comes_back_for_both_generations(store: LocalStore, place: MemoryPlace) -> None:
    place.rows.clear()
    place.registered.clear()
    place.owner = ""
    with pytest.raises(VectorsMissing):
        everything(reopened(store, place).reader(MAIN))
    assert store.resync(MAIN, ConstantVectors()).rows == 4
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}
    store.rollback(MAIN)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "c"}


def test_the_next_runs_go_on_from_what_a_resync_wrote(store: LocalStore, place: MemoryPlace) -> None:
    """Rows of generations that are no longer kept are written by the oldest one that is."""
    store.upsert([record("a", text="edited")], NORTH[np.newaxis], MAIN)
    store.publish(MAIN, INFO)
    place.rows.clear()
    assert store.resync(MAIN, ConstantVectors()).rows == 4  # three of the second generation, one of the third
    store.upsert([record("e")], UP[np.newaxis], MAIN)
    store.delete_by_ids(["b"], MAIN)
    store.publish(MAIN, INFO)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "d", "e"}
    store.rollback(MAIN)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}
    store.upsert([record("f")], UP[np.newaxis], MAIN)
    store.publish(MAIN, INFO)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d", "f"}


def test_a_record_that_got_another_vector_alone_is_written_for_its_generation(
    store: LocalStore, place: MemoryPlace
) -> None:
    """Its hash is that of the generation before, whose row would be too old to count."""
    store.upsert([record("a")], NORTH[np.newaxis], MAIN)
    store.publish(MAIN, INFO)
    before = {(id_, born) for id_, born, _, _ in rows(place)}
    store.resync(MAIN, ConstantVectors())
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}
    assert ("a", live(store).name) in before & {(id_, born) for id_, born, _, _ in rows(place)}


def test_a_scope_that_is_not_published_here_keeps_no_rows(store: LocalStore, place: MemoryPlace) -> None:
    unknown = Generation(DEAD, DRAFT.name, "shop", "hash", 3, "", 0, 0, "")
    MemoryVectors(place).stage(unknown, [row_of(record("x"), EAST)], [])
    assert store.resync(DRAFT, ConstantVectors()) == ResyncReport()
    assert DRAFT.name not in place.rows


def test_rows_of_a_run_that_died_are_forgotten(store: LocalStore, place: MemoryPlace) -> None:
    before = rows(place)
    dead = Generation(DEAD, "main", "shop", "hash", 3, "", 0, 0, "")
    MemoryVectors(place).stage(dead, [row_of(record("x"), EAST)], ["a"])
    store.resync(MAIN, ConstantVectors())
    assert rows(place) == before
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}


def test_other_scopes_are_not_touched(store: LocalStore, place: MemoryPlace) -> None:
    store.upsert([record("z", scope=DRAFT)], EAST[np.newaxis], DRAFT)
    store.publish(DRAFT, INFO)
    before = list(place.rows[DRAFT.name])
    del place.rows["main"]
    store.resync(MAIN, ConstantVectors())
    assert place.rows[DRAFT.name] == before


def test_nothing_is_changed_if_vectors_are_missing(store: LocalStore, place: MemoryPlace) -> None:
    """Also if only the generation before lacks one: a rollback would lead to it."""
    before = rows(place)
    assert store.resync(MAIN, ConstantVectors(without="cd")) == ResyncReport(missing_vectors=2)
    assert store.resync(MAIN, ConstantVectors(without="c")) == ResyncReport(missing_vectors=1)
    assert rows(place) == before
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}


def test_a_resync_that_dies_gives_no_wrong_answer_and_the_next_one_is_whole(
    store: LocalStore, place: MemoryPlace
) -> None:
    class DyingVectors(ConstantVectors):
        def get(self, records: Sequence[Record]) -> Vectors:
            if "d" in {hit.id for hit in records}:
                raise VectorBackendUnavailable("it is gone")
            return super().get(records)

    before = rows(place)
    with pytest.raises(VectorBackendUnavailable):
        store.resync(MAIN, DyingVectors())
    with pytest.raises(VectorsMissing):
        everything(reopened(store, place).reader(MAIN))
    assert store.resync(MAIN, ConstantVectors()).rows == 4
    assert rows(place) == before


def test_the_store_with_vectors_of_its_own_has_nothing_to_write(tmp_path: Path) -> None:
    store = LocalStore(tmp_path, "shop")
    fill(store, [record("a")])
    assert (store.remote_index, store.resync(MAIN, ConstantVectors())) == (None, ResyncReport())


@pytest.mark.parametrize("misdated", [{"born": BEFORE}, {"born": DEAD}, {"died": BEFORE}])
def test_a_row_with_another_date_is_right_afterwards(
    misdated: dict[str, str], store: LocalStore, place: MemoryPlace
) -> None:
    """A row that is older than its record is in no answer, even if all else of it is right."""
    before = rows(place)
    place.rows["main"] = [replace(item, **misdated) if item.row.id == "a" else item for item in place.rows["main"]]
    with pytest.raises(VectorsMissing):
        everything(reopened(store, place).reader(MAIN))
    store.resync(MAIN, ConstantVectors())
    assert rows(place) == before


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcdx"), st.sampled_from("-012<>!")), max_size=8))
def test_a_resync_repairs_any_damage_of_rows(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, str]]
) -> None:
    """A row was lost (-), ended (0), written by somebody else for either generation (1, 2) or misdated (<, >, !)."""
    place = MemoryPlace()
    store = filled(tmp_path_factory.mktemp("any"), place)
    before, registered = rows(place), dict(place.registered)
    index = MemoryVectors(place)
    both = sorted(store.generations(MAIN), key=lambda generation: generation.name)
    misdated = {"<": {"born": BEFORE}, ">": {"born": both[1].name}, "!": {"died": both[1].name}}
    for id_, event in events:
        if event == "-":
            place.rows["main"] = [item for item in place.rows["main"] if item.row.id != id_]
        elif event == "0":
            index.stage(both[1], (), [id_])
        elif event in misdated:
            place.rows["main"] = [
                replace(entry, **misdated[event]) if entry.row.id == id_ else entry for entry in place.rows["main"]
            ]
        else:
            index.stage(both[int(event) - 1], [row_of(record(id_), NORTH)], ())
    assert store.resync(MAIN, ConstantVectors()) == ResyncReport(rows=4)
    assert (rows(place), place.registered) == (before, registered)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "d"}
    store.rollback(MAIN)
    assert everything(reopened(store, place).reader(MAIN)) == {"a", "b", "c"}
