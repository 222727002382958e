"""The embedded index keeps the promises of every store."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract.store.suite import StoreContract
from memory_store.vectors import MemoryVectors

from searchsocket.stores.local import LocalStore
from searchsocket.stores.local.build import words
from searchsocket.stores.words import tables
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


class TestWordsInParts(EditHistoryContract):
    """As with far more records: words are found in batches, wait on disk, and are merged range by range."""

    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalStore:
        monkeypatch.setattr(words, "_BATCH", 7)
        monkeypatch.setattr(words, "_IN_MEMORY", 2)
        monkeypatch.setattr(tables, "_ENTRIES_A_RANGE", 20)
        monkeypatch.setattr(tables, "_TERMS_A_BLOCK", 3)
        return LocalStore(tmp_path / "index", "shop")
