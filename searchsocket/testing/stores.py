"""Contract of a store: all cases over its tables. A subclass supplies a fixture `tables`."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from searchsocket.stores.base.tables import VectorTables
from searchsocket.stores.base.vectors import RemoteIndex
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.table_vectors import TableVectors
from searchsocket.testing.store import VectorsOfAStoreContract
from searchsocket.testing.store.edit_history import EditHistoryContract
from searchsocket.testing.vector_index import IndexOf, LingeringRowsContract, VectorIndexContract, VectorUpkeepContract


class StoreContract(
    VectorsOfAStoreContract, EditHistoryContract, LingeringRowsContract, VectorIndexContract, VectorUpkeepContract
):
    """The cases that every store passes. A subclass supplies a fixture `tables`: a database without tables."""

    @pytest.fixture
    def index_of(self, tables: VectorTables) -> Iterator[IndexOf]:
        yield lambda project_id: TableVectors(tables, project_id)
        for project_id in ("shop", "other"):
            TableVectors(tables, project_id).drop()

    @pytest.fixture
    def index(self, index_of: IndexOf) -> RemoteIndex:
        return index_of("shop")

    @pytest.fixture
    def store(self, tmp_path: Path, index: RemoteIndex) -> LocalStore:
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        return LocalStore(tmp_path / "index", "shop", vectors=index, clock=lambda: now)
