"""The embedded index keeps the promises of every store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract.store.suite import StoreContract
from memory_store.vectors import MemoryVectors

from searchsocket.stores.local import LocalStore
from searchsocket.stores.words import segments as word_segments
from searchsocket.testing.store.edit_history import EditHistoryContract


class TestLocalStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> LocalStore:
        return LocalStore(tmp_path / "index", "shop", clock=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))


class TestVectorsElsewhere(StoreContract):
    """The same promises where only records and words lie in the folder, and any `VectorIndex` keeps the vectors."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> LocalStore:
        clock = lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)  # noqa: E731
        return LocalStore(tmp_path / "index", "shop", vectors=MemoryVectors(), clock=clock)


class TestManySegments(EditHistoryContract):
    """As with far more records: words in several segments, of which a small change writes some anew."""

    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalStore:
        monkeypatch.setattr(word_segments, "RECORDS_A_SHARE", 40)
        return LocalStore(tmp_path / "index", "shop")
