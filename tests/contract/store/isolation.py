"""Scopes and projects do not touch each other."""

import numpy as np
import pytest

from searchsocket.errors import InvalidScope, ProjectMismatch, ScopeNotIndexed
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import DRAFT, EAST, INFO, MAIN, everything, fill, record
from searchsocket.types import Scope


class IsolationContract:
    def test_scopes_do_not_see_each_other(self, store: VectorStore) -> None:
        fill(store, [record("a")])
        fill(store, [record("b", scope=DRAFT)], scope=DRAFT)
        assert everything(store.reader(MAIN)) == {"a"}
        assert everything(store.reader(DRAFT)) == {"b"}
        store.upsert([record("c")], EAST[np.newaxis], MAIN)
        assert store.publish(DRAFT, INFO).records == 1

    def test_delete_scope_touches_exactly_one(self, store: VectorStore) -> None:
        """Not its namesakes, not what begins like it (failure 63); and it can be indexed again (failure 62)."""
        fill(store, [record("a")])
        fill(store, [record("b", scope=DRAFT)], scope=DRAFT)
        store.upsert([record("c")], EAST[np.newaxis], MAIN)
        store.delete_scope(MAIN)
        store.delete_scope(MAIN)
        assert store.generation(MAIN) is None
        with pytest.raises(ScopeNotIndexed):
            store.reader(MAIN)
        assert [generation.scope for generation in store.list_scopes()] == ["main-draft"]
        assert everything(store.reader(DRAFT)) == {"b"}
        assert everything(fill(store, [record("d")])) == {"d"}

    def test_scopes_are_listed_by_name(self, store: VectorStore) -> None:
        assert store.list_scopes() == []
        for name in ("b", "a", "B", "a.b"):
            scope = Scope("shop", name)
            fill(store, [record("k", scope=scope)], scope=scope)
        store.upsert([record("k", scope=MAIN)], EAST[np.newaxis], MAIN)  # staged, not published
        assert [generation.scope for generation in store.list_scopes()] == ["B", "a", "a.b", "b"]

    def test_every_scope_is_listed_however_many_there_are(self, store: VectorStore) -> None:
        """Prune and `status` would take those beyond a backend's page for scopes that are gone (failure 40)."""
        names = [f"branch-{number}" for number in range(9)]
        for name in reversed(names):
            scope = Scope("shop", name)
            fill(store, [record("k", scope=scope)], scope=scope)
        assert [generation.scope for generation in store.list_scopes()] == names

    def test_a_scope_name_never_leads_elsewhere(self, store: VectorStore) -> None:
        """Names are sanitised before they come here; the store looks again (failure 13)."""
        for name in ("..", ".", "", "a/b", "../main", "a\\b", "a\x00", "é", "a" * 300, "/etc"):
            self._is_refused(store, Scope("shop", name))

    def _is_refused(self, store: VectorStore, scope: Scope) -> None:
        for act in (store.delete_scope, store.reader, store.discard, store.generation, store.rollback):
            with pytest.raises(InvalidScope):
                act(scope)
        with pytest.raises(InvalidScope):
            store.upsert([record("a", scope=scope)], EAST[np.newaxis], scope)

    def test_another_project_is_refused(self, store: VectorStore) -> None:
        """Keys hold no project, so a record or scope of another one never gets in (failure 42)."""
        fill(store, [record("a")])
        other = Scope("other", "main")
        with pytest.raises(ProjectMismatch):
            store.upsert([record("a", scope=other)], EAST[np.newaxis], MAIN)
        with pytest.raises(ProjectMismatch):
            store.delete_scope(other)
        with pytest.raises(ProjectMismatch):
            store.reader(other)
        assert everything(store.reader(MAIN)) == {"a"}

    def test_a_record_of_another_scope_is_refused(self, store: VectorStore) -> None:
        with pytest.raises(InvalidScope):
            store.upsert([record("a", scope=DRAFT)], EAST[np.newaxis], MAIN)
