"""Kinds of vector index: what is made of one that differs from the settings, and how each is queried."""

from typing import Any

import numpy as np
import pytest
from pymilvus import MilvusClient

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.index import MilvusVectors
from searchsocket.extensions.milvus.rows import kind_of
from searchsocket.extensions.milvus.settings import IvfSettings, MilvusSettings
from searchsocket.project.settings.section import HnswSettings
from searchsocket.testing.store.samples import MAIN, ids, random_units
from searchsocket.testing.vector_index import ONE, TWO, put, row, visible_ids
from searchsocket.types import Filter
from tests.extensions.milvus.running import only


def put_in_place(milvus: MilvusConnection, name: str, kind: str, **parameters: int) -> MilvusVectors:
    """Vectors whose collection has got an index of another kind."""
    put(MilvusVectors(milvus, name, "shop"), ONE, [row("a"), row("b")])
    collection = f"{name}_{ONE.dimensions}"
    milvus.call("release_collection", collection)
    milvus.call("drop_index", collection, "embedding")
    index = MilvusClient.prepare_index_params()
    index.add_index("embedding", index_type=kind, metric_type="IP", params=parameters)
    milvus.call("create_index", collection, index)
    milvus.forget(collection)
    return MilvusVectors(milvus, name, "shop")


def test_a_service_that_chooses_the_kind_itself_is_written_and_read(milvus: MilvusConnection, name: str) -> None:
    """Zilliz Cloud has AUTOINDEX wherever another kind was asked for; that is no damage."""
    index = put_in_place(milvus, name, "AUTOINDEX")
    assert (index.examine(), index.open(ONE).limits.is_exact) == ([], True)
    index.retain(MAIN, [ONE])
    put(index, TWO, [row("c")], gone=("a",))
    assert (visible_ids(index, ONE), visible_ids(index, TWO)) == (["a", "b"], ["b", "c"])
    assert not index.open(TWO).limits.is_exact, "a run measures its recall"
    put_in_place(milvus, name, "FLAT")  # as other tests expect it


KINDS = {
    "hnsw": MilvusSettings(index="hnsw", hnsw=HnswSettings(m=8, ef_construction=40, ef=50)),
    "ivf_sq8": MilvusSettings(index="ivf_sq8", ivf_sq8=IvfSettings(nlist=4, nprobe=1)),
}


def test_a_change_of_the_kind_rebuilds_the_index_and_writes_no_row(milvus: MilvusConnection, name: str) -> None:
    """All rows that match are found, however few the index reaches; `doctor` names the change until a run made it."""
    change_there_and_back(milvus, name, KINDS["hnsw"])


@only("lite")
def test_a_change_to_groups_of_vectors(milvus: MilvusConnection, name: str) -> None:
    """A query looks at one of four groups first."""
    change_there_and_back(milvus, name, KINDS["ivf_sq8"])


def change_there_and_back(milvus: MilvusConnection, name: str, settings: MilvusSettings) -> None:
    """Change the kind from exact to this one, publish, and change it back."""
    exact, other = MilvusVectors(milvus, name, "shop"), MilvusVectors(milvus, name, "shop", kind=kind_of(settings))
    units = random_units(40)
    put(exact, ONE, [row(f"r{n:02}", vector) for n, vector in enumerate(units)])
    [finding] = other.examine()
    assert f"is of kind FLAT, not {kind_of(settings).server_name}" in finding.problem
    other.retain(MAIN, [ONE])
    assert (other.examine(), len(exact.examine())) == ([], 1)
    put(other, TWO, [row("new", tags=("new",))], gone=("r00",))
    limits = other.open(TWO).limits
    assert (limits.index, limits.is_exact) == (kind_of(settings).text, False)
    nearest = [f"r{n:02}" for n in np.argsort(-(units @ units[7]), kind="stable")]
    assert ids(other.open(ONE).nearest(units[7], top_k=40)) == nearest
    assert ids(other.open(TWO).nearest(units[7], top_k=5, where=Filter(tags=("new",)))) == ["new"]
    exact.retain(MAIN, [ONE, TWO])
    assert (exact.examine(), len(visible_ids(exact, TWO))) == ([], 40)


def test_a_run_that_died_without_an_index_leaves_the_rows(milvus: MilvusConnection, name: str) -> None:
    index = MilvusVectors(milvus, name, "shop")
    put(index, ONE, [row("a"), row("b")])
    collection = f"{name}_{ONE.dimensions}"
    milvus.call("release_collection", collection)
    milvus.call("drop_index", collection, "embedding")
    milvus.forget(collection)
    assert "is of kind none, not FLAT" in str(index.examine())
    again = MilvusVectors(milvus, name, "shop")
    again.retain(MAIN, [ONE])
    put(again, TWO, [row("c")])
    assert (visible_ids(again, TWO), again.examine()) == (["a", "b", "c"], [])


@pytest.mark.parametrize(
    ("settings", "limit", "parameters", "thorough"),
    [
        (MilvusSettings(), 66, {}, {}),
        (MilvusSettings(index="flat"), 66, {}, {}),  # type: ignore[arg-type]
        (MilvusSettings(index="hnsw"), 66, {"ef": 200}, {"ef": 32_768}),
        (MilvusSettings(index="hnsw"), 1_000, {"ef": 1_000}, {"ef": 32_768}),
        (MilvusSettings(index="ivf_sq8"), 66, {"nprobe": 64}, {"nprobe": 1_024}),
        (MilvusSettings(index="diskann"), 66, {"search_list": 200}, {"search_list": 660}),
        (MilvusSettings(index="diskann"), 5, {"search_list": 200}, {"search_list": 200}),
        (MilvusSettings(index="diskann"), 900, {"search_list": 900}, {"search_list": 9_000}),
    ],
)
def test_a_query_is_sent_with_the_effort_of_its_kind(
    settings: MilvusSettings, limit: int, parameters: dict[str, int], thorough: dict[str, int]
) -> None:
    """A server refuses an `ef` or a `search_list` below the number of rows, and a `search_list` far above it."""
    kind = kind_of(settings)
    assert kind.search_parameters(limit) == {"params": {"level": 10, **parameters}}
    assert kind.search_parameters(limit, thorough=True) == {"params": {"level": 10, **thorough}}


def test_an_index_is_built_again_only_if_it_differs() -> None:
    kind = kind_of(KINDS["hnsw"])
    same = {"index_type": "HNSW", "M": "8", "efConstruction": "40"}
    assert [kind.difference(each) for each in (same, {"index_type": "HNSW"}, {"index_type": "AUTOINDEX"})] == [""] * 3
    assert kind.difference({**same, "M": "16"}) == "has M 16, not 8"
    assert kind.difference({"index_type": "FLAT"}) == "is of kind FLAT, not HNSW"
    slower = kind_of(MilvusSettings(index="hnsw", hnsw=HnswSettings(m=8, ef_construction=40, ef=999)))
    assert (slower.difference(same), slower.text) == ("", "hnsw m=8 ef_construction=40 ef=999")


def test_a_server_that_cannot_build_the_index_ends_the_run() -> None:
    """The server of PyPI accepts DiskANN and then builds nothing; the previous generation stays live."""
    slept: list[float] = []
    rows_left = iter([900, 400, *[400] * 2_000])

    class Connection(MilvusConnection):
        def call(self, name: str, *arguments: Any, **options: Any) -> Any:
            answers = {"list_indexes": ["embedding"], "describe_index": {"pending_index_rows": next(rows_left, 400)}}
            return answers.get(name)

    kind = kind_of(MilvusSettings(index="diskann"))
    index = MilvusVectors(Connection("http://127.0.0.1:9", "", 1.0), "shop", "shop", kind=kind, sleep=slept.append)
    with pytest.raises(VectorBackendUnavailable, match=r"\(diskann search_list=200\).* 400 rows are left.* stays live"):
        index._build("shop_8")
    assert 900 <= sum(slept) <= 910
