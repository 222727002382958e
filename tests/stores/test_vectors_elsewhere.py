"""Records and words in the folder, vectors in an index elsewhere: what is sent there, and what is left there."""

from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import pytest
from memory_store.vectors import MemoryVectors, MemoryVectorSnapshot

from searchsocket.errors import IndexCorrupt, VectorBackendUnavailable
from searchsocket.search.candidates import find_candidates
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vectors import VectorLimits, VectorRow
from searchsocket.stores.local.layout import OLDER_FORMATS
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import EAST, INFO, MAIN, NORTH, everything, fill, record
from searchsocket.types import Generation, Scope
from tests.older_index import set_format


class Watched(MemoryVectors):
    """An index that records its calls and can be made unreachable."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[str] = []
        self.gone: list[str] = []
        self.is_away = False

    def stage(self, generation: Generation, rows: Iterable[VectorRow], deleted_ids: Iterable[str]) -> None:
        rows, deleted_ids = list(rows), list(deleted_ids)
        self.rows += [row.id for row in rows]
        self.gone += deleted_ids
        super().stage(generation, rows, deleted_ids)

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        if self.is_away:
            raise VectorBackendUnavailable("the index is away")
        super().retain(scope, generations)

    def held(self) -> int:
        return sum(len(rows) for rows in self.place.rows.values())


@pytest.fixture
def index() -> Watched:
    return Watched()


@pytest.fixture
def store(tmp_path: Path, index: Watched) -> LocalStore:
    store = LocalStore(tmp_path, "shop", vectors=index)
    fill(store, [record(name) for name in "abc"])
    index.rows.clear()
    return store


def test_remote_writes_are_proportional_to_the_change(store: LocalStore, index: Watched) -> None:
    store.upsert([record("a", text="edited"), record("b")], np.stack([NORTH, EAST]), MAIN)
    store.delete_by_ids(["c", "never"], MAIN)
    store.publish(MAIN, INFO)
    assert (index.rows, index.gone) == (["a"], ["c"])
    assert everything(store.reader(MAIN)) == {"a", "b"}
    store.upsert([record("b")], EAST[np.newaxis], MAIN)
    live = store.publish(MAIN, INFO)
    assert (index.rows, store.generation(MAIN)) == (["a"], live)
    store.rollback(MAIN)
    assert (index.rows, everything(store.reader(MAIN))) == (["a"], {"a", "b", "c"})


def test_the_folder_holds_no_vectors(store: LocalStore, tmp_path: Path) -> None:
    assert not list(tmp_path.rglob("vectors*"))
    assert store.verify(MAIN) == []


def test_a_refused_publish_leaves_no_remote_rows(store: LocalStore, index: Watched) -> None:
    def refuse(reader: IndexReader) -> None:
        assert everything(reader) == {"a", "b", "c", "d"}
        raise RuntimeError("no")

    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    with pytest.raises(RuntimeError, match="no"):
        store.publish(MAIN, INFO, gate=refuse)
    assert (index.held(), everything(store.reader(MAIN))) == (3, {"a", "b", "c"})


def test_an_index_that_goes_away_in_between_is_cleared_by_the_next_run(store: LocalStore, index: Watched) -> None:
    def go_away(_: IndexReader) -> None:
        index.is_away = True
        raise RuntimeError("no")

    store.upsert([record("d")], EAST[np.newaxis], MAIN)
    with pytest.raises(RuntimeError, match="no"):
        store.publish(MAIN, INFO, gate=go_away)
    assert (index.held(), everything(store.reader(MAIN))) == (4, {"a", "b", "c"})
    store.discard(MAIN)
    store.upsert([record("e")], EAST[np.newaxis], MAIN)
    with pytest.raises(VectorBackendUnavailable):
        store.publish(MAIN, INFO)
    index.is_away = False
    store.publish(MAIN, INFO)
    assert everything(store.reader(MAIN)) == {"a", "b", "c", "e"}


def test_a_scope_that_is_deleted_is_deleted_elsewhere(store: LocalStore, index: Watched) -> None:
    index.is_away = True
    with pytest.raises(VectorBackendUnavailable):
        store.delete_scope(MAIN)
    assert store.generation(MAIN) is None
    index.is_away = False
    store.delete_scope(MAIN)
    assert index.held() == 0


def test_an_index_with_vectors_of_its_own_is_not_taken_for_one_without(tmp_path: Path, index: Watched) -> None:
    """It would find nothing by meaning, and say nothing."""
    fill(LocalStore(tmp_path, "shop"), [record("a")])
    with pytest.raises(IndexCorrupt, match="lists vectors, but vector.provider is a remote store"):
        LocalStore(tmp_path, "shop", vectors=index).reader(MAIN)


def test_one_without_vectors_is_not_taken_for_one_with_them(store: LocalStore, tmp_path: Path) -> None:
    with pytest.raises(IndexCorrupt, match=r"does not list packs"):
        LocalStore(tmp_path, "shop").reader(MAIN)


def test_no_more_is_asked_for_than_the_index_can_give(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryVectorSnapshot, "limits", VectorLimits(is_remote=True, max_top_k=2))
    candidates = find_candidates(store.reader(MAIN), EAST, "nothing of this", top_k=9)
    assert sorted(candidates.ids) == ["a", "b"]


def test_vectors_that_come_back_a_little_different_are_the_same(
    store: LocalStore, index: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = np.array(EAST)
    near[0] -= np.float32(1e-6)
    store.upsert([record("a")], near[np.newaxis], MAIN)
    monkeypatch.setattr(MemoryVectorSnapshot, "limits", VectorLimits(is_remote=True, tolerance=1e-5))
    store.publish(MAIN, INFO)
    assert index.rows == []
    monkeypatch.undo()
    store.upsert([record("a")], near[np.newaxis], MAIN)
    store.publish(MAIN, INFO)
    assert index.rows == ["a"]


def test_a_generation_in_the_new_format_sends_no_vector_again(store: LocalStore, index: Watched) -> None:
    before = store.generation(MAIN)
    set_format(store.root, MAIN.name, max(OLDER_FORMATS))
    store = LocalStore(store.root, "shop", vectors=index)
    assert store.publish(MAIN, INFO).name != (before and before.name)
    assert (index.rows, index.gone) == ([], [])
    assert everything(store.reader(MAIN)) == {"a", "b", "c"}
    manifest = store.manifest(MAIN)
    assert manifest
    assert not manifest.is_older
