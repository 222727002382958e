"""Vectors in Milvus keep the promises of every vector index, and a store with them those of every store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract.store.samples import DIMENSIONS, EAST, NORTH
from contract.store.suite import StoreContract, VectorsOfAStoreContract
from contract.vector_index import ONE, THREE, TWO, VectorIndexContract, put, row
from contract.vector_upkeep import IndexOf, VectorUpkeepContract

from searchsocket.stores.local import LocalStore
from searchsocket.stores.milvus import MilvusVectors
from searchsocket.stores.milvus.connection import Connection
from searchsocket.stores.milvus.schema import row_data
from tests.stores.milvus.running import only

pytestmark = pytest.mark.slow


class TestMilvusVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, milvus: Connection, name: str) -> MilvusVectors:
        return MilvusVectors(milvus, name, "shop")

    def test_a_row_that_is_still_shown_after_its_end_counts_for_nothing(
        self, index: MilvusVectors, milvus: Connection, name: str
    ) -> None:
        """A server may hide what ended a moment after it shows what follows."""
        put(index, ONE, [row("a"), row("b")])
        put(index, TWO, [row("a", NORTH)])
        put(index, THREE, [])
        milvus.call("upsert", f"{name}_{DIMENSIONS}", [row_data(ONE, row("a"))])  # with no end, as if it was not seen
        index.seal(THREE)
        snapshot = index.open(THREE)
        assert [(hit.id, hit.score) for hit in snapshot.nearest(EAST, top_k=9)] == [("b", 1.0), ("a", 0.0)]
        assert snapshot.similarities(EAST, ["a", "b"]) == [0.0, 1.0]


class TestMilvusUpkeep(VectorUpkeepContract):
    @pytest.fixture
    def index_of(self, milvus: Connection, name: str) -> IndexOf:
        return lambda project_id: MilvusVectors(milvus, name, project_id)


class OfMilvus:
    many_scopes = 9  # folders list them, whatever keeps their vectors; the registry reads all of its rows at once

    @pytest.fixture
    def store(self, tmp_path: Path, milvus: Connection, name: str) -> LocalStore:
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        return LocalStore(tmp_path / "index", "shop", vectors=MilvusVectors(milvus, name, "shop"), clock=lambda: now)


@only("lite")
class TestMilvusStore(OfMilvus, StoreContract): ...


@only("server")
class TestMilvusServerStore(OfMilvus, VectorsOfAStoreContract):
    """Records, words and names lie in the folder, as they do beside Lite, and a server takes its time."""
