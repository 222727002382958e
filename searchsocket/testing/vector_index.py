"""Contracts of a vector index: generations, rows that are visible after their end, and upkeep.

A subclass supplies a fresh, empty `index` fixture, or `index_of`: indexes in one place.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from searchsocket.errors import ProjectMismatch, VectorsMissing
from searchsocket.stores.base.vectors import RemoteIndex, VectorIndex, VectorRow, row_of
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import (
    DIMENSIONS,
    DRAFT,
    EAST,
    INFO,
    MAIN,
    NORTH,
    UP,
    ConstantVectors,
    fill,
    ids,
    record,
    unit,
)
from searchsocket.types import Filter, Generation, Scope, Vector

MANY = [f"x{number:02}" for number in range(40)]  # more than the spare rows that a query requests
IndexOf = Callable[[str], RemoteIndex]  # by project id


def row(record_id: str, vector: Vector = EAST, **fields: object) -> VectorRow:
    return row_of(record(record_id, **fields), vector)  # type: ignore[arg-type]


def named(name: str, scope: Scope = MAIN, dimensions: int = DIMENSIONS) -> Generation:
    return Generation(name, scope.name, scope.project_id, "hash", dimensions, "2026-01-02T03:04:05Z", 0, 0, "")


ONE, TWO, THREE = (named(f"2026010{day}T000000Z-aaaaaa") for day in (1, 2, 3))


def put(index: VectorIndex, generation: Generation, rows: list[VectorRow], gone: tuple[str, ...] = ()) -> None:
    index.stage(generation, rows, gone)
    index.seal(generation)


def visible_ids(index: VectorIndex, generation: Generation, vector: Vector = EAST) -> list[str]:
    return ids(index.open(generation).nearest(vector, top_k=99))


class VectorIndexContract:
    """A vector index separates its generations."""

    def test_a_generation_sees_what_it_was_sealed_with(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a"), row("b"), row("c")])
        put(index, TWO, [row("b", NORTH), row("d")], gone=("c", "never"))
        assert visible_ids(index, ONE) == ["a", "b", "c"]
        assert visible_ids(index, TWO) == ["a", "d", "b"]
        assert index.open(ONE).similarities(EAST, ["b"]) == [1.0]
        assert index.open(TWO).similarities(EAST, ["b"]) == [0.0]

    def test_a_run_that_died_is_invisible_and_leaves_nothing(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a"), row("b")])
        index.stage(TWO, [row("a", NORTH), row("x")], ["b"])
        assert visible_ids(index, ONE) == ["a", "b"]
        index.retain(MAIN, [ONE])
        put(index, THREE, [row("c")])
        assert visible_ids(index, THREE) == ["a", "b", "c"]
        assert index.open(THREE).similarities(EAST, ["a"]) == [1.0]

    def test_what_was_rolled_back_is_not_in_the_next_generation(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a")])
        put(index, TWO, [row("b")], gone=("a",))
        index.retain(MAIN, [ONE])
        put(index, THREE, [row("c")])
        assert visible_ids(index, ONE) == ["a"]
        assert visible_ids(index, THREE) == ["a", "c"]

    def test_old_generations_go_without_touching_those_that_stay(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a"), row("b")])
        put(index, TWO, [row("c")], gone=("a",))
        index.retain(MAIN, [TWO])
        assert visible_ids(index, TWO) == ["b", "c"]
        put(index, THREE, [], gone=("b",))
        assert (visible_ids(index, TWO), visible_ids(index, THREE)) == (["b", "c"], ["c"])

    def test_scopes_have_rows_of_their_own(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a")])
        draft = named(ONE.name, DRAFT)
        put(index, draft, [row("b")], gone=("a",))
        assert (visible_ids(index, ONE), visible_ids(index, draft)) == (["a"], ["b"])
        index.retain(DRAFT, [])
        after = named(TWO.name, DRAFT)
        put(index, after, [row("c")])
        assert (visible_ids(index, ONE), visible_ids(index, after)) == (["a"], ["c"])

    def test_a_model_of_other_dimensions_leaves_the_generation_before_as_it_is(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a"), row("b")])
        flat = named(TWO.name, dimensions=2)
        north = np.array([0, 1], np.float32)
        put(index, flat, [row("a", north)], gone=("b",))
        assert (visible_ids(index, ONE), visible_ids(index, flat, north)) == (["a", "b"], ["a"])
        index.retain(MAIN, [ONE, flat])
        assert (visible_ids(index, ONE), visible_ids(index, flat, north)) == (["a", "b"], ["a"])
        index.retain(MAIN, [flat])
        put(index, named(THREE.name, dimensions=2), [row("c", north)])
        assert visible_ids(index, named(THREE.name, dimensions=2), north) == ["a", "c"]

    def test_filters_and_ties_hold_within_a_generation(self, index: VectorIndex) -> None:
        rows = [row("d"), row("b", url="/docs/x", tags=("t",)), row("a", UP, url="/docs"), row("c", url="/docs-old")]
        put(index, ONE, rows)
        snapshot = index.open(ONE)
        assert ids(snapshot.nearest(EAST, top_k=2)) == ["b", "c"]
        assert ids(snapshot.nearest(EAST, top_k=9, where=Filter("/docs/"))) == ["b", "a"]
        assert ids(snapshot.nearest(unit(1, 1), top_k=9, where=Filter("docs", ("t",)))) == ["b"]
        assert np.array_equal(snapshot.vectors_of(["a", "d"]), np.stack([UP, EAST]))


class LingeringRowsContract:
    """Answers are right while an index still shows rows after their end.

    A row of an old generation that is staged later has no end: readers see such a row until they see its end.
    """

    @pytest.fixture
    def site(self, tmp_path: Path, index: VectorIndex) -> LocalStore:
        """A store whose second generation deletes forty of 43 records and changes one of the others."""
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        store = LocalStore(tmp_path / "site", "shop", vectors=index, clock=lambda: now)
        far = np.stack([EAST, unit(1, 2), unit(1, 3), *[EAST] * len(MANY)])
        before = fill(store, [record(name, f"/{name}") for name in ["a", "b", "c", *MANY]], far)
        store.upsert([record("a", "/a", "edited")], NORTH[np.newaxis], MAIN)
        store.delete_by_ids(MANY, MAIN)
        store.publish(MAIN, INFO)
        ended = [row_of(record(name, f"/{name}"), EAST) for name in ["a", *MANY]]
        index.stage(before.generation, ended, ())
        index.seal(before.generation)
        return store

    def test_an_answer_holds_no_record_that_has_ended(self, site: LocalStore) -> None:
        reader = site.reader(MAIN)
        assert ids(reader.vectors.nearest(EAST, top_k=99)) == ["b", "c", "a"]
        assert [hit.score for hit in reader.vectors.nearest(EAST, top_k=99)][-1] == 0.0

    def test_what_has_ended_takes_no_place_in_an_answer(self, site: LocalStore) -> None:
        reader = site.reader(MAIN)
        assert ids(reader.vectors.nearest(EAST, top_k=1)) == ["b"]
        assert ids(reader.vectors.nearest(EAST, top_k=2, where=Filter("/c"))) == ["c"]
        assert reader.vectors.nearest(EAST, top_k=2, where=Filter(f"/{MANY[0]}")) == []

    def test_of_two_rows_of_a_record_the_later_one_counts(self, site: LocalStore) -> None:
        vectors = site.reader(MAIN).vectors
        assert vectors.similarities(NORTH, ["a", "b"]) == [1.0, pytest.approx(2 / 5**0.5)]
        assert np.array_equal(vectors.vectors_of(["a"])[0], NORTH)

    def test_a_row_that_has_ended_is_no_answer_where_the_newer_one_lies_far_behind_it(
        self, tmp_path: Path, index: VectorIndex
    ) -> None:
        """With its old score it would be first, because the newer row is not among the fetched ones."""
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        store = LocalStore(tmp_path / "far", "shop", vectors=index, clock=lambda: now)
        records = [record(name, f"/{name}") for name in ["a", *MANY]]
        before = fill(store, records, np.stack([EAST, *[unit(1, 2)] * len(MANY)]))
        store.upsert([record("a", "/a", "edited")], NORTH[np.newaxis], MAIN)
        store.publish(MAIN, INFO)
        index.stage(before.generation, [row_of(records[0], EAST)], ())
        index.seal(before.generation)
        vectors = store.reader(MAIN).vectors
        assert ids(vectors.nearest(EAST, top_k=2)) == MANY[:2]
        store.upsert([record("b", "/b")], EAST[np.newaxis], MAIN)  # a's row now is of the previous generation
        store.publish(MAIN, INFO)
        assert ids(store.reader(MAIN).vectors.nearest(EAST, top_k=2)) == ["b", MANY[0]]
        assert ids(store.reader(MAIN).vectors.nearest(EAST, top_k=99))[-1] == "a"

    def test_what_is_lacking_is_said_and_not_left_out(self, site: LocalStore, index: VectorIndex) -> None:
        generation = site.reader(MAIN).generation
        index.stage(generation, (), ["b"])
        index.seal(generation)
        with pytest.raises(VectorsMissing, match="index --resync --scope main"):
            site.reader(MAIN).vectors.nearest(EAST, top_k=3)
        with pytest.raises(VectorsMissing):
            site.reader(MAIN).vectors.nearest(EAST, top_k=1, where=Filter("/b"))
        assert ids(site.reader(MAIN).vectors.nearest(EAST, top_k=9, where=Filter("/c"))) == ["c"]

    def test_two_writers_with_folders_of_their_own_never_mix(self, tmp_path: Path, index: VectorIndex) -> None:
        """Two machines index one scope: the last index is complete; the other reports rows missing until a resync."""

        def machine(day: int) -> LocalStore:
            now = datetime(2026, 1, day, 3, 4, 5, tzinfo=UTC)
            return LocalStore(tmp_path / str(day), "shop", vectors=index, clock=lambda: now)

        fill(machine(1), [record("a"), record("b")])
        fill(machine(2), [record("a"), record("x")])
        assert whole(machine(2)) == {"a", "x"}
        assert whole(machine(1)) is None
        with pytest.raises(VectorsMissing, match="index --resync --scope main"):
            fill(machine(1), [record("c")])
        assert whole(machine(2)) in (None, {"a", "x"})
        machine(1).discard(MAIN)
        machine(1).resync(MAIN, ConstantVectors())
        assert whole(machine(1)) == {"a", "b"}
        assert whole(machine(2)) is None


def whole(store: LocalStore) -> set[str] | None:
    """Ids of all rows; None if the store reports missing rows."""
    try:
        return set(ids(store.reader(MAIN).vectors.nearest(EAST, top_k=99)))
    except VectorsMissing:
        return None


class VectorUpkeepContract:
    """A vector index can be counted, cleaned and staged again."""

    @pytest.fixture
    def index(self, index_of: IndexOf) -> RemoteIndex:
        return index_of("shop")

    def test_the_registry_says_what_is_kept_of_each_scope(self, index: RemoteIndex) -> None:
        assert index.registered() == []
        put(index, ONE, [row("a")])
        put(index, TWO, [row("b")])
        put(index, named(ONE.name, DRAFT), [row("a")])
        main, draft = index.registered()
        assert (draft.scope, draft.generations) == (DRAFT.name, (ONE.name,))
        assert (main.scope, main.project_id, main.model_id) == ("main", "shop", "hash")
        assert (main.generations, main.indexed_at, main.dimensions) == (
            (ONE.name, TWO.name), TWO.published_at, TWO.dimensions
        )  # fmt: skip
        index.retain(MAIN, [TWO])
        index.retain(DRAFT, [])
        assert [(each.scope, each.generations) for each in index.registered()] == [("main", (TWO.name,))]

    def test_rows_are_counted_as_a_generation_sees_them(self, index: RemoteIndex) -> None:
        assert index.count(ONE) == 0
        put(index, ONE, [row("a"), row("b"), row("c")])
        put(index, TWO, [row("b", NORTH)], gone=("c",))
        assert (index.count(ONE), index.count(TWO)) == (3, 2)
        index.stage(TWO, (), ["a"])
        index.seal(TWO)
        assert (index.count(ONE), index.count(TWO)) == (3, 1)

    def test_many_rows_are_all_counted(self, index: RemoteIndex) -> None:
        put(index, ONE, [row(f"r{number:04}") for number in range(1_234)])
        assert index.count(ONE) == 1_234

    def test_a_row_that_a_generation_stages_twice_is_one_row(self, index: RemoteIndex) -> None:
        put(index, ONE, [row("a")])
        put(index, TWO, [row("a", NORTH)])
        put(index, TWO, [row("a", UP)])
        assert (index.count(TWO), visible_ids(index, TWO)) == (1, ["a"])
        assert index.open(TWO).similarities(UP, ["a"]) == [1.0]
        assert index.open(ONE).similarities(EAST, ["a"]) == [1.0]

    def test_a_scope_that_was_forgotten_is_staged_again_under_the_same_names(self, index: RemoteIndex) -> None:
        """`--resync` does this; rows of a dead run and lost rows make no difference."""
        put(index, ONE, [row("a"), row("b")])
        put(index, TWO, [row("c")], gone=("b",))
        index.stage(TWO, [row("foreign", UP)], ["a"])
        index.retain(MAIN, [])
        assert (index.count(ONE), index.count(TWO), index.registered()) == (0, 0, [])
        put(index, ONE, [row("a"), row("b")])
        put(index, TWO, [row("c")], gone=("b",))
        assert (visible_ids(index, ONE), visible_ids(index, TWO)) == (["a", "b"], ["a", "c"])
        assert [each.generations for each in index.registered()] == [(ONE.name, TWO.name)]
        index.retain(MAIN, [ONE, TWO])
        put(index, THREE, [row("d")], gone=("a",))
        assert (visible_ids(index, TWO), visible_ids(index, THREE)) == (["a", "c"], ["c", "d"])

    def test_an_index_that_lost_everything_is_staged_again(self, index: RemoteIndex) -> None:
        put(index, ONE, [row("a")])
        index.drop()
        assert (index.count(ONE), index.registered()) == (0, [])
        put(index, ONE, [row("a")])
        assert (visible_ids(index, ONE), index.examine()) == (["a"], [])
        assert [each.generations for each in index.registered()] == [(ONE.name,)]

    def test_another_project_is_refused_or_has_a_place_of_its_own(self, index_of: IndexOf) -> None:
        """Two projects of one name must not delete each other's rows."""
        ours, theirs = index_of("shop"), index_of("other")
        put(ours, ONE, [row("a")])
        foreign = named(TWO.name, Scope("other", "main"))
        for touch in (
            lambda: put(theirs, foreign, [row("x")], gone=("a",)),
            lambda: theirs.retain(Scope("other", "main"), []),
            lambda: theirs.drop(),
        ):
            with suppress(ProjectMismatch):
                touch()
        assert (visible_ids(ours, ONE), ours.count(ONE)) == (["a"], 1)
        assert [each.scope for each in ours.registered()] == ["main"]
        ours.drop()
        put(theirs, foreign, [row("x")])
        assert visible_ids(theirs, foreign) == ["x"]
