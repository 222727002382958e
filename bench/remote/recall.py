"""Recall and speed of each kind of Milvus index."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.index import MilvusVectors
from searchsocket.extensions.milvus.rows import kind_of
from searchsocket.extensions.milvus.settings import DiskannSettings, IvfSettings, MilvusSettings
from searchsocket.project.settings.section import HnswSettings
from searchsocket.stores.base.vectors import VectorRow
from searchsocket.types import MATCH_ALL, Filter, Generation, Scope, Vector, Vectors

DIMENSIONS, CENTRES = 256, 500
CANDIDATES = 50  # that a query of the product asks for
TAGGED = Filter(tags=("tenth",))
LIVE = Generation("20260101T000000Z-aaaaaa", "main", "bench", "hash", DIMENSIONS, "", 0, 0, "")


_HNSW = [HnswSettings(ef=ef) for ef in (100, 200, 500, 1_000)]
_IVF = [IvfSettings(nprobe=nprobe) for nprobe in (16, 64, 256)]
_DISKANN = [DiskannSettings(search_list=size) for size in (100, 200, 500)]
KINDS = {
    "exact": [MilvusSettings()],
    "hnsw": [MilvusSettings(index="hnsw", hnsw=each) for each in _HNSW],
    "ivf_sq8": [MilvusSettings(index="ivf_sq8", ivf_sq8=each) for each in _IVF],
    "diskann": [MilvusSettings(index="diskann", diskann=each) for each in _DISKANN],
}


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Means over all queries, and the median of the time."""

    ten: float  # part of the ten nearest that is among the first ten found
    fifty: float
    p50_ms: float


@dataclass(frozen=True, slots=True)
class Corpus:
    vectors: Vectors
    is_tagged: NDArray[np.bool_]
    queries: Vectors

    def nearest(self, query: Vector, where: Filter) -> list[int]:
        """The places of the rows that are nearest indeed."""
        scores = self.vectors @ query
        if where is not MATCH_ALL:
            scores[~self.is_tagged] = -2.0
        best = np.argpartition(-scores, CANDIDATES)[:CANDIDATES]
        return [int(at) for at in best[np.argsort(-scores[best], kind="stable")]]


def corpus(rows: int, queries: int) -> Corpus:
    """Directions around centres, like embeddings of a site; every tenth has a tag, at any position."""
    source = np.random.default_rng(7)
    centres = source.standard_normal((CENTRES, DIMENSIONS))
    around = centres[source.integers(CENTRES, size=rows + queries)]
    wide = around + 0.8 * source.standard_normal(around.shape)
    unit = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return Corpus(unit[:rows], source.random(rows) < 0.1, unit[rows:])


def write(connection: MilvusConnection, name: str, rows: Corpus) -> float:
    """Write a corpus as the product does; returns the seconds until it can be queried."""
    index = MilvusVectors(connection, name, "bench")
    began = time.perf_counter()
    index.stage(LIVE, vector_rows(rows), [])
    index.seal(LIVE)
    return time.perf_counter() - began


def rebuild(connection: MilvusConnection, name: str, settings: MilvusSettings) -> tuple[float, float]:
    """Give the collection an index of this kind, as a change of the settings does.

    Returns:
        Seconds without answers, then seconds until the index is built.
    """
    index = MilvusVectors(connection, name, "bench", kind=kind_of(settings))
    began = time.perf_counter()
    index.retain(Scope("bench", LIVE.scope), [LIVE])
    loaded_s = time.perf_counter() - began
    index.stage(LIVE, [], [])
    index.seal(LIVE)
    return loaded_s, time.perf_counter() - began


def ask(connection: MilvusConnection, name: str, settings: MilvusSettings, rows: Corpus, where: Filter) -> RecallResult:
    """Ask all queries as the product does."""
    opened = MilvusVectors(connection, name, "bench", kind=kind_of(settings)).open(LIVE)
    opened.nearest(rows.queries[0], top_k=CANDIDATES, where=where)
    tens, fifties, took_ms = [], [], []
    for query in rows.queries:
        began = time.perf_counter()
        hits = opened.nearest(query, top_k=CANDIDATES, where=where)
        took_ms.append(1_000 * (time.perf_counter() - began))
        ids = [int(hit.id) for hit in hits]
        nearest = rows.nearest(query, where)
        tens.append(_part(ids[:10], nearest[:10]))
        fifties.append(_part(ids, nearest))
    return RecallResult(float(np.mean(tens)), float(np.mean(fifties)), float(np.median(took_ms)))


def _part(ids: Sequence[int], nearest: Sequence[int]) -> float:
    return len(set(ids) & set(nearest)) / len(nearest)


def vector_rows(rows: Corpus) -> Iterator[VectorRow]:
    """The rows of a corpus as an index stages them."""
    for at, (vector, is_tagged) in enumerate(zip(rows.vectors, rows.is_tagged, strict=True)):
        tags = ("tenth",) if is_tagged else ()
        yield VectorRow(str(at), vector, ("/", "/docs"), tags, ("language=en",), is_hidden=False)
