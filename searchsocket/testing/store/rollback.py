"""Rollback returns to the previous generation."""

import pytest

from searchsocket.errors import NoGenerationBefore, ScopeNotIndexed
from searchsocket.stores.base import VectorStore
from searchsocket.testing.store.samples import MAIN, everything, fill, record


class RollbackContract:
    def test_rollback_returns_to_the_generation_before(self, store: VectorStore) -> None:
        first = fill(store, [record("a", text="zebra")]).generation
        fill(store, [record("b", text="zebra")])
        assert store.rollback(MAIN) == first == store.generation(MAIN)
        assert everything(store.reader(MAIN)) == {"a"}
        with pytest.raises(NoGenerationBefore):
            store.rollback(MAIN)
        assert everything(fill(store, [record("c")])) == {"a", "c"}
        assert store.rollback(MAIN) == first

    def test_rollback_needs_a_generation_before(self, store: VectorStore) -> None:
        with pytest.raises(ScopeNotIndexed):
            store.rollback(MAIN)
        fill(store, [record("a")])
        with pytest.raises(NoGenerationBefore):
            store.rollback(MAIN)
        assert everything(store.reader(MAIN)) == {"a"}
