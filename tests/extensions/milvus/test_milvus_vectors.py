"""Vectors in Milvus keep the promises of every vector index, and a store with them those of every store."""

from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.index import MilvusVectors
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store import VectorsOfAStoreContract
from searchsocket.testing.store.edit_history import EditHistoryContract
from searchsocket.testing.store.samples import MAIN, NORTH
from searchsocket.testing.vector_index import (
    ONE,
    TWO,
    IndexOf,
    LingeringRowsContract,
    VectorIndexContract,
    VectorUpkeepContract,
    put,
    row,
    visible_ids,
)
from tests.extensions.milvus.running import only


class TestMilvusVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, milvus: MilvusConnection, name: str) -> MilvusVectors:
        return MilvusVectors(milvus, name, "shop")


class Late:
    """A connection whose queries are untrue so often about what a part of their filter names."""

    def __init__(self, inner: MilvusConnection, part: str, times: int) -> None:
        self.load, self.forget = inner.load, inner.forget
        self._inner, self._part, self._times = inner, part, times

    def call(self, name: str, *arguments: Any, **options: Any) -> Any:
        found = self._inner.call(name, *arguments, **options)
        asked = options.get("filter", "") if options.get("output_fields") == ["row_key"] else ""
        if self._part not in asked or not self._times:
            return found
        self._times -= 1
        return [] if found else [{"row_key": "it ended"}]


@only("lite")  # which is late with nothing by itself
@pytest.mark.parametrize("part", ["row_key ==", "row_key in", "born >"])
@pytest.mark.parametrize("times", [3, 99])
def test_a_run_goes_on_when_queries_see_what_it_wrote_and_nothing_that_ended(
    milvus: MilvusConnection, name: str, part: str, times: int
) -> None:
    """The marker behind all else; the rows that end with it; those that a dead run had left before it."""
    put(MilvusVectors(milvus, name, "shop"), ONE, [row("a"), row("b")])
    waits: list[float] = []
    index = MilvusVectors(Late(milvus, part, times), name, "shop", sleep=waits.append)  # type: ignore[arg-type]
    with pytest.raises(VectorBackendUnavailable, match="not visible after") if times > 9 else nullcontext():
        index.retain(MAIN, [ONE])
        put(index, TWO, [row("b", NORTH)], gone=("a",))
    assert len(waits) == min(times, 34)
    assert visible_ids(MilvusVectors(milvus, name, "shop"), ONE) == ["a", "b"]


class TestMilvusLingering(LingeringRowsContract):
    @pytest.fixture
    def index(self, milvus: MilvusConnection, name: str) -> MilvusVectors:
        return MilvusVectors(milvus, name, "shop")


class TestMilvusUpkeep(VectorUpkeepContract):
    @pytest.fixture
    def index_of(self, milvus: MilvusConnection, name: str) -> IndexOf:
        return lambda project_id: MilvusVectors(milvus, name, project_id)


class OfMilvus:
    @pytest.fixture
    def store(self, tmp_path: Path, milvus: MilvusConnection, name: str) -> LocalStore:
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        return LocalStore(tmp_path / "index", "shop", vectors=MilvusVectors(milvus, name, "shop"), clock=lambda: now)


@only("lite")
class TestMilvusStore(OfMilvus, VectorsOfAStoreContract, EditHistoryContract): ...


@only("server")
class TestMilvusServerStore(OfMilvus, VectorsOfAStoreContract): ...
