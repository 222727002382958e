"""Vectors in Milvus keep the promises of every vector index, and a store with them those of every store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract.lingering_rows import LingeringRowsContract
from contract.store.suite import StoreContract, VectorsOfAStoreContract
from contract.vector_index import VectorIndexContract
from contract.vector_upkeep import IndexOf, VectorUpkeepContract

from searchsocket.stores.local import LocalStore
from searchsocket.stores.milvus import MilvusVectors
from searchsocket.stores.milvus.connection import Connection
from tests.stores.milvus.running import only

pytestmark = pytest.mark.slow


class TestMilvusVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, milvus: Connection, name: str) -> MilvusVectors:
        return MilvusVectors(milvus, name, "shop")


class TestMilvusLingering(LingeringRowsContract):
    @pytest.fixture
    def index(self, milvus: Connection, name: str) -> MilvusVectors:
        return MilvusVectors(milvus, name, "shop")


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
