"""A vector index separates its generations. A subclass supplies a fresh, empty `index` fixture."""

import numpy as np

from searchsocket.stores.base import VectorIndex, VectorRow
from searchsocket.stores.base.vectors import row_of
from searchsocket.testing.store.samples import DIMENSIONS, DRAFT, EAST, MAIN, NORTH, UP, ids, record, unit
from searchsocket.types import Filter, Generation, Scope, Vector


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
