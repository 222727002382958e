"""A vector index can be counted, cleaned and staged again. A subclass supplies `index_of`: indexes in one place."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from searchsocket.errors import ProjectMismatch
from searchsocket.stores.base.upkeep import RemoteIndex
from searchsocket.testing.store.samples import DRAFT, EAST, MAIN, NORTH, UP
from searchsocket.testing.vector_index import ONE, THREE, TWO, named, put, row, visible_ids
from searchsocket.types import Scope

IndexOf = Callable[[str], RemoteIndex]  # by project id


class VectorUpkeepContract:
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
