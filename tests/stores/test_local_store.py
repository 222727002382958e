"""The embedded index keeps the promises of every store."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from contract.store.suite import StoreContract
from memory_store.vectors import MemoryVectors

from searchsocket.stores.local.build import build
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.words import tables
from searchsocket.testing.store.edit_history import EditHistoryContract
from searchsocket.types import Record, Scope, Vectors


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


class SmallBatches(LocalStore):
    """Splits what it is given."""

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        for start in range(0, len(records), 7):
            super().upsert(records[start : start + 7], vectors[start : start + 7], scope)


class TestWordsInParts(EditHistoryContract):
    """As with far more records: words are staged in batches, wait on disk, and are merged range by range."""

    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalStore:
        monkeypatch.setattr(build, "_MERGED_AT_ONCE", 2)
        monkeypatch.setattr(tables, "_ENTRIES_A_RANGE", 20)
        monkeypatch.setattr(tables, "_TERMS_A_BLOCK", 3)
        return SmallBatches(tmp_path / "index", "shop")
