"""Recall and latency of each store and of the local one, over the same rows."""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.remote.recall import CANDIDATES, LIVE, TAGGED, Corpus, vector_rows
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.index import MilvusVectors
from searchsocket.extensions.pgvector.settings import PgvectorSettings
from searchsocket.extensions.pgvector.tables import PgvectorTables
from searchsocket.extensions.qdrant.tables import QdrantTables
from searchsocket.project.settings.section import HnswSettings
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.base.vectors import VectorIndex, VectorSnapshot
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.table_vectors import TableVectors
from searchsocket.testing.store.samples import make_record
from searchsocket.types import MATCH_ALL, Filter, Scope
from tests.extensions.pgvector.running import running

_SCOPE = Scope("bench", "main")
_TENTH = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """One store: means of the part of the ten nearest that it finds, and medians of the time."""

    write_s: float  # until all rows can be queried
    recall: float
    p50_ms: float
    tenth_recall: float  # of the tenth of the rows that has a tag
    tenth_p50_ms: float


def measure(name: str, rows: Corpus, queries: int) -> Measured:
    """Write the rows to the store of this name, and ask for the 50 nearest of each query, one after the other."""
    with STORES[name](rows) as (snapshot, write_s):
        wide, tenth = (_ask(snapshot, rows, queries, where) for where in (MATCH_ALL, TAGGED))
    return Measured(write_s, *wide, *tenth)


def _ask(snapshot: VectorSnapshot, rows: Corpus, queries: int, where: Filter) -> tuple[float, float]:
    snapshot.nearest(rows.queries[0], top_k=CANDIDATES, where=where)
    recalls, took_ms = [], []
    for query in rows.queries[:queries]:
        began = time.perf_counter()
        hits = snapshot.nearest(query, top_k=CANDIDATES, where=where)
        took_ms.append(1_000 * (time.perf_counter() - began))
        nearest = rows.nearest(query, where)[:_TENTH]
        recalls.append(len({int(hit.id) for hit in hits[:_TENTH]} & set(nearest)) / len(nearest))
    return float(np.mean(recalls)), float(np.median(took_ms))


Opened = Iterator[tuple[VectorSnapshot, float]]  # the rows in a store, and the seconds that writing them took


@contextmanager
def _local(rows: Corpus) -> Opened:
    with tempfile.TemporaryDirectory(prefix="searchsocket-stores-") as folder:
        store = LocalStore(Path(folder), _SCOPE.project_id)
        where = {"project_id": _SCOPE.project_id, "scope": _SCOPE.name, "model_id": LIVE.model_id}
        began = time.perf_counter()
        records = [
            make_record(str(n), "text", url=f"/docs/{n}", tags=("tenth",) if is_tagged else (), **where)
            for n, is_tagged in enumerate(rows.is_tagged)
        ]
        store.upsert(records, rows.vectors, _SCOPE)
        store.publish(_SCOPE, PublishInfo(LIVE.model_id, LIVE.dimensions, "2026-01-02T03:04:05Z"))
        yield store.reader(_SCOPE).vectors, time.perf_counter() - began


def _written(index: VectorIndex, rows: Corpus) -> tuple[VectorSnapshot, float]:
    began = time.perf_counter()
    index.stage(LIVE, vector_rows(rows), [])
    index.seal(LIVE)
    return index.open(LIVE), time.perf_counter() - began


@contextmanager
def _milvus_lite(rows: Corpus) -> Opened:
    with tempfile.TemporaryDirectory(prefix="searchsocket-stores-") as folder:
        yield _written(MilvusVectors(MilvusConnection(f"{folder}/lite.db", "", 600.0), "stores", "bench"), rows)


def _pgvector(hnsw: HnswSettings | None) -> Callable[[Corpus], AbstractContextManager[tuple[VectorSnapshot, float]]]:
    @contextmanager
    def opened(rows: Corpus) -> Opened:
        with running() as url:
            tables = PgvectorTables(url, f"stores_{'hnsw' if hnsw else 'exact'}", hnsw=hnsw, timeout_s=600.0)
            yield _written(TableVectors(tables, "bench"), rows)

    return opened


@contextmanager
def _qdrant_local(rows: Corpus) -> Opened:
    class InMemory(QdrantTables):
        def _new_client(self, kind):  # type: ignore[no-untyped-def]
            return kind(":memory:")

    yield _written(TableVectors(InMemory("memory", "stores"), "bench"), rows)


STORES: dict[str, Callable[[Corpus], AbstractContextManager[tuple[VectorSnapshot, float]]]] = {
    "local": _local,
    "pgvector, exact": _pgvector(None),
    "pgvector, HNSW": _pgvector(PgvectorSettings().hnsw),
    "Milvus Lite": _milvus_lite,
    "Qdrant, local mode": _qdrant_local,
}
SLOW = {"Milvus Lite": 1, "Qdrant, local mode": 10}  # asked fewer queries, of so much smaller a part of the rows
