"""The embedded index keeps the promises of every store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract.vector_store import VectorStoreContract

from searchsocket.stores.local import LocalStore


class TestLocalStore(VectorStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> LocalStore:
        return LocalStore(tmp_path / "index", "shop", clock=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
