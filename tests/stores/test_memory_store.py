"""The store in memory keeps the promises of every store, word by word."""

from datetime import UTC, datetime

import pytest
from contract.store.suite import StoreContract
from memory_store.store import MemoryStore
from memory_store.vectors import MemoryPlace, MemoryVectors

from searchsocket.testing.vector_index import IndexOf, LingeringRowsContract, VectorIndexContract, VectorUpkeepContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore("shop", clock=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))


class TestMemoryVectors(VectorIndexContract):
    @pytest.fixture
    def index(self) -> MemoryVectors:
        return MemoryVectors()


class TestMemoryUpkeep(VectorUpkeepContract):
    @pytest.fixture
    def index_of(self) -> IndexOf:
        place = MemoryPlace()
        return lambda project_id: MemoryVectors(place, project_id)


class TestMemoryLingering(LingeringRowsContract):
    @pytest.fixture
    def index(self) -> MemoryVectors:
        return MemoryVectors()
