"""Vectors in Pinecone keep the promises of every vector index, and a store with them those of every store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.tables import Directory, PineconeTables
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.table_vectors import TableVectors
from searchsocket.testing.store import VectorsOfAStoreContract
from searchsocket.testing.store.edit_history import EditHistoryContract
from searchsocket.testing.vector_index import IndexOf, LingeringRowsContract, VectorIndexContract, VectorUpkeepContract
from tests.extensions.pinecone.server.service import Service


class TestPineconeVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, vectors: TableVectors) -> TableVectors:
        return vectors


class TestPineconeLingering(LingeringRowsContract):
    @pytest.fixture
    def index(self, vectors: TableVectors) -> TableVectors:
        return vectors


class TestPineconeUpkeep(VectorUpkeepContract):
    @pytest.fixture
    def index_of(self, vectors: TableVectors, connection: PineconeConnection) -> IndexOf:
        return lambda project_id: TableVectors(PineconeTables(connection, "shop"), project_id)


def test_namespaces_beyond_the_first_page_are_listed(service: Service, connection: PineconeConnection) -> None:
    service.add_legacy("shop-8", 8)
    for number in range(250):
        service.indexes["shop-8"].namespace(f"{'shop' if number % 2 else 'other'}:branch-{number}")
    directory = Directory(connection, "shop", cloud="aws", region="us-east-1")
    found = [name for index in directory.all() for name in directory.namespaces(index, "shop")]
    assert found == sorted(f"shop:branch-{number}" for number in range(1, 250, 2))


@pytest.mark.parametrize("vectors", ["documents"], indirect=True)
class TestPineconeStore(VectorsOfAStoreContract, EditHistoryContract):
    """A store over one kind of index: the three contracts above ask both kinds all that a store asks of its vectors."""

    @pytest.fixture
    def store(self, tmp_path: Path, vectors: TableVectors) -> LocalStore:
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        return LocalStore(tmp_path / "index", "shop", vectors=vectors, clock=lambda: now)
