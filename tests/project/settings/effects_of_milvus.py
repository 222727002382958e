"""Effects of `vector.milvus`: which server keeps the vectors, by what key and name; Milvus Lite stands for it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pymilvus

from searchsocket.extensions.milvus.index import MilvusVectors
from searchsocket.pipeline.run.index import index_scope
from searchsocket.stores import make_vectors
from tests.project.settings.lab import Effect, Lab

GIVEN = {"vector.provider": "milvus"}


def _environ(lab: Lab) -> dict[str, str]:
    uris = {"MILVUS_URI": str(lab.root / "usual.db"), "OTHER_URI": str(lab.root / "other.db")}
    return uris | {"MILVUS_TOKEN": "the usual token", "OTHER_TOKEN": "the other token"}


def collections(lab: Lab) -> list[str]:
    """Server and name of every collection that holds vectors after a run."""
    environ = _environ(lab)
    index_scope(replace(lab.site.run(), environ=environ))
    found = []
    for uri in (environ["MILVUS_URI"], environ["OTHER_URI"]):
        client = pymilvus.MilvusClient(uri)
        names = [name for name in client.list_collections() if not name.endswith("_registry")]
        found += [f"{uri.removeprefix(f'{lab.root}/')} {name}" for name in names]
        client.close()
    return found


def connects_with(option: str) -> Callable[[Lab], object]:
    """What the vendor's client is told when it connects."""

    def observe(lab: Lab) -> object:
        told: dict[str, Any] = {}

        class Client(pymilvus.MilvusClient):  # type: ignore[misc]
            def __init__(self, **options: Any) -> None:
                told.update(options)
                super().__init__(**options)

        with lab.patch.context() as patch:
            patch.setattr(pymilvus, "MilvusClient", Client)
            vectors = make_vectors(lab.project.settings.vector, "site", _environ(lab))
            assert vectors is not None
            vectors.retain(lab.project.scope_named("main"), [])
        return told[option]

    return observe


def index_of(lab: Lab) -> tuple[str, dict[str, int], dict[str, int]]:
    """The kind of index with its parameters, and those of a query for ten rows."""
    vectors = make_vectors(lab.project.settings.vector, "site", _environ(lab))
    assert isinstance(vectors, MilvusVectors)
    kind = vectors._collections.kind
    return kind.server_name, dict(kind.build), kind.search_parameters(10)["params"]


HNSW, IVF, DISKANN = ({**GIVEN, "vector.milvus.index": kind} for kind in ("hnsw", "ivf_sq8", "diskann"))
BUILD, EF = {"M": 16, "efConstruction": 200}, {"level": 10, "ef": 200}
EFFECTS = (
    Effect("vector.milvus.index", "hnsw", index_of, ("FLAT", {}, {"level": 10}), ("HNSW", BUILD, EF), given=GIVEN),
    Effect("vector.milvus.hnsw.m", 8, index_of, ("HNSW", BUILD, EF), ("HNSW", {**BUILD, "M": 8}, EF), given=HNSW),
    Effect("vector.milvus.hnsw.ef_construction", 90, index_of, ("HNSW", BUILD, EF),
           ("HNSW", {**BUILD, "efConstruction": 90}, EF), given=HNSW),
    Effect("vector.milvus.hnsw.ef", 90, index_of, ("HNSW", BUILD, EF), ("HNSW", BUILD, {**EF, "ef": 90}), given=HNSW),
    Effect("vector.milvus.ivf_sq8.nlist", 90, index_of, ("IVF_SQ8", {"nlist": 1024}, {"level": 10, "nprobe": 64}),
           ("IVF_SQ8", {"nlist": 90}, {"level": 10, "nprobe": 64}), given=IVF),
    Effect("vector.milvus.ivf_sq8.nprobe", 9, index_of, ("IVF_SQ8", {"nlist": 1024}, {"level": 10, "nprobe": 64}),
           ("IVF_SQ8", {"nlist": 1024}, {"level": 10, "nprobe": 9}), given=IVF),
    Effect("vector.milvus.diskann.search_list", 90, index_of, ("DISKANN", {}, {"level": 10, "search_list": 200}),
           ("DISKANN", {}, {"level": 10, "search_list": 90}), given=DISKANN),
    Effect("vector.provider", "milvus", collections, [], ["usual.db site_chunks_512"], anew=True),
    Effect("vector.milvus.uri_env", "OTHER_URI", collections, ["usual.db site_chunks_512"],
           ["other.db site_chunks_512"], given=GIVEN, anew=True),
    Effect("vector.milvus.collection", "shop", collections, ["usual.db site_chunks_512"], ["usual.db shop_512"],
           given=GIVEN, anew=True),
    Effect("vector.milvus.token_env", "OTHER_TOKEN", connects_with("token"), "the usual token", "the other token",
           given=GIVEN),
    Effect("vector.milvus.timeout_s", 2.5, connects_with("timeout"), 10.0, 2.5, given=GIVEN),
)  # fmt: skip
