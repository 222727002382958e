"""What every vector index promises to whoever looks after it. A subclass supplies `index_of`: indexes on one place."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from contract.store.samples import DRAFT, EAST, MAIN, NORTH, UP, record
from contract.vector_index import ONE, THREE, TWO, named, put, row, seen

from searchsocket.errors import ProjectMismatch
from searchsocket.stores.base import VectorIndex
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.vectors import row_of
from searchsocket.types import Generation, Scope

IndexOf = Callable[[str], VectorIndex]  # by project id


def held(index: VectorIndex, generation: Generation) -> set[tuple[str, bytes]]:
    return {(each.id, each.digest) for each in index.held(generation)}  # type: ignore[attr-defined]


def digests(index: VectorIndex, *rows: object) -> set[tuple[str, bytes]]:
    return {(each.id, index.digest(each)) for each in rows}  # type: ignore[attr-defined]


class VectorUpkeepContract:
    @pytest.fixture
    def index(self, index_of: IndexOf) -> VectorIndex:
        return index_of("shop")

    def test_the_registry_says_what_is_kept_of_each_scope(self, index: VectorIndex) -> None:
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

    def test_rows_are_counted_and_told_as_a_generation_sees_them(self, index: VectorIndex) -> None:
        assert (index.count(ONE), list(index.held(ONE))) == (0, [])
        put(index, ONE, [row("a"), row("b"), row("c")])
        put(index, TWO, [row("b", NORTH)], gone=("c",))
        assert (index.count(ONE), index.count(TWO)) == (3, 2)
        assert held(index, ONE) == digests(index, row("a"), row("b"), row("c"))
        assert held(index, TWO) == digests(index, row("a"), row("b", NORTH))
        first, second = (generation_number(each.name) for each in (ONE, TWO))
        assert {each.id: each.born for each in index.held(TWO)} == {"a": first, "b": second}

    def test_a_row_that_says_something_else_is_told_apart(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a", url="/docs/x", tags=("t", "ü"))])
        [(_, kept)] = held(index, ONE)
        same = row_of(record("a", url="/docs/x", tags=("t", "ü")), EAST)
        assert kept == index.digest(same)
        others = (row("a", url="/docs/y", tags=("t", "ü")), row("a", url="/docs/x"), row("a", NORTH, url="/docs/x"))
        assert kept not in {index.digest(other) for other in others}

    def test_many_rows_are_all_told(self, index: VectorIndex) -> None:
        put(index, ONE, [row(f"r{number:04}") for number in range(1_234)])
        assert sorted(each.id for each in index.held(ONE)) == [f"r{number:04}" for number in range(1_234)]
        assert index.count(ONE) == 1_234

    def test_what_was_lost_is_restored_for_those_generations_that_had_it(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a"), row("b", NORTH)])
        put(index, TWO, [row("c", UP)], gone=("b",))
        index.erase(TWO, ["a", "never"])
        assert (index.count(ONE), index.count(TWO)) == (1, 1)
        index.restore(TWO, [row("a")], None)
        index.restore(ONE, [row("a")], TWO)
        assert (seen(index, ONE), seen(index, TWO)) == (["a", "b"], ["a", "c"])
        put(index, THREE, [row("d")], gone=("a",))
        assert (seen(index, TWO), seen(index, THREE)) == (["a", "c"], ["d", "c"])

    def test_mending_what_is_whole_changes_nothing(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a")])
        assert index.mend(ONE) == []
        assert (seen(index, ONE), index.examine()) == (["a"], [])

    def test_an_index_that_lost_everything_is_mended_and_filled(self, index: VectorIndex) -> None:
        put(index, ONE, [row("a")])
        index.drop()
        assert (index.count(ONE), index.registered()) == (0, [])
        index.mend(ONE)
        index.restore(ONE, [row("a")], None)
        assert seen(index, ONE) == ["a"]
        assert [each.generations for each in index.registered()] == [(ONE.name,)]

    def test_another_project_is_refused_or_has_a_place_of_its_own(self, index_of: IndexOf) -> None:
        """Two projects of one name must not delete each other's rows."""
        ours, theirs = index_of("shop"), index_of("other")
        put(ours, ONE, [row("a")])
        foreign = named(TWO.name, Scope("other", "main"))
        for touch in (
            lambda: put(theirs, foreign, [row("x")], gone=("a",)),
            lambda: theirs.retain(Scope("other", "main"), []),
            lambda: theirs.mend(foreign),
            lambda: theirs.drop(),
        ):
            with suppress(ProjectMismatch):
                touch()
        assert (seen(ours, ONE), ours.count(ONE)) == (["a"], 1)
        assert [each.scope for each in ours.registered()] == ["main"]
        ours.drop()
        put(theirs, foreign, [row("x")])
        assert seen(theirs, foreign) == ["x"]
