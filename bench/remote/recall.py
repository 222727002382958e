"""How many of the nearest rows each kind of index of Milvus finds, and how fast."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base import VectorRow
from searchsocket.stores.milvus import MilvusVectors
from searchsocket.stores.milvus import rows as milvus_rows
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.types import MATCH_ALL, Filter, Generation, Vector, Vectors

DIMENSIONS, CENTRES = 256, 500
CANDIDATES = 50  # that a query of the product asks for
TAGGED = Filter(tags=("tenth",))
LIVE = Generation("20260101T000000Z-aaaaaa", "main", "bench", "hash", DIMENSIONS, "", 0, 0, "")


@dataclass(frozen=True, slots=True)
class Kind:
    """An index, and how it is asked."""

    name: str
    build: dict[str, int]
    search: dict[str, int]

    def __str__(self) -> str:
        options = [f"{key} {value}" for key, value in (self.build | self.search).items() if key != "level"]
        return ", ".join([self.name, *options])


HNSW = {"M": 16, "efConstruction": 200}
KINDS = (
    Kind("FLAT", {}, {"level": 10}),
    Kind("HNSW", HNSW, {}),
    *(Kind("HNSW", HNSW, {"ef": ef}) for ef in (128, 256, 512, 1024)),
    Kind("AUTOINDEX", {}, {"level": 10}),
)


@dataclass(frozen=True, slots=True)
class Found:
    """Means over all queries."""

    ten: float  # part of the ten nearest that is among the first ten found
    fifty: float
    ms: float


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
        return [int(at) for at in np.argsort(-scores, kind="stable")[:CANDIDATES]]


def corpus(rows: int, queries: int) -> Corpus:
    """Directions around centres, as embeddings of a site lie; every tenth has a tag, wherever it lies."""
    source = np.random.default_rng(7)
    centres = source.standard_normal((CENTRES, DIMENSIONS))
    around = centres[source.integers(CENTRES, size=rows + queries)]
    wide = around + 0.8 * source.standard_normal(around.shape)
    unit = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return Corpus(unit[:rows], source.random(rows) < 0.1, unit[rows:])


def write(connection: MilvusConnection, name: str, rows: Corpus) -> float:
    """Keep a corpus as the product does; rows a second."""
    index = MilvusVectors(connection, name, "bench")
    began = time.perf_counter()
    index.stage(LIVE, vector_rows(rows), [])
    index.seal(LIVE)
    return len(rows.vectors) / (time.perf_counter() - began)


def put_index(connection: MilvusConnection, collection: str, kind: Kind) -> float:
    """Make an index of a kind the collection's only one; seconds until it is built."""
    from pymilvus import MilvusClient

    began = time.perf_counter()
    connection.call("flush", collection)
    connection.call("release_collection", collection)
    for index in connection.call("list_indexes", collection):
        connection.call("drop_index", collection, index)
    params = MilvusClient.prepare_index_params()
    params.add_index("embedding", index_type=kind.name, metric_type="IP", params=kind.build)
    connection.call("create_index", collection, params)
    connection.forget(collection)
    connection.load(collection)
    return time.perf_counter() - began


def ask(connection: MilvusConnection, name: str, kind: Kind, rows: Corpus, where: Filter) -> Found:
    """Ask all queries as the product does, but for the parameters of the kind."""
    milvus_rows._PARAMETERS = {"params": kind.search}  # type: ignore[assignment]
    opened = MilvusVectors(connection, name, "bench").open(LIVE)
    opened.nearest(rows.queries[0], top_k=CANDIDATES, where=where)
    tens, fifties, took = [], [], 0.0
    for query in rows.queries:
        began = time.perf_counter()
        hits = opened.nearest(query, top_k=CANDIDATES, where=where)
        took += time.perf_counter() - began
        found = [int(hit.id) for hit in hits]
        wanted = rows.nearest(query, where)
        tens.append(_part(found[:10], wanted[:10]))
        fifties.append(_part(found, wanted))
    return Found(float(np.mean(tens)), float(np.mean(fifties)), 1000 * took / len(rows.queries))


def _part(found: Sequence[int], wanted: Sequence[int]) -> float:
    return len(set(found) & set(wanted)) / len(wanted)


def vector_rows(rows: Corpus) -> Iterator[VectorRow]:
    """The rows of a corpus as an index stages them."""
    for at, (vector, is_tagged) in enumerate(zip(rows.vectors, rows.is_tagged, strict=True)):
        tags = ("tenth",) if is_tagged else ()
        yield VectorRow(str(at), vector, ("/", "/docs"), tags, ("language=en",), is_hidden=False)
