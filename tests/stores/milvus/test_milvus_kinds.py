"""What else than the index that was asked for may be there, and what is made of it."""

import pytest
from pymilvus import MilvusClient

from searchsocket.errors import VectorBackendRefused
from searchsocket.stores.milvus import MilvusVectors
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.testing.store.samples import DRAFT, MAIN
from searchsocket.testing.vector_index import ONE, TWO, put, row, seen

pytestmark = pytest.mark.slow


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
    assert index.examine() == []
    put(index, TWO, [row("c")], gone=("a",))
    assert (seen(index, ONE), seen(index, TWO)) == (["a", "b"], ["b", "c"])


def test_a_kind_that_guesses_is_refused_and_replaced_by_a_resync(milvus: MilvusConnection, name: str) -> None:
    """The collection loses its rows then, so a run of another scope, which is new to it, must not do it."""
    index = put_in_place(milvus, name, "IVF_FLAT", nlist=4)
    assert any("IVF_FLAT" in each.problem for each in index.examine())
    for scope, kept in ((MAIN, [ONE]), (DRAFT, [])):
        with pytest.raises(VectorBackendRefused, match="an index of kind IVF_FLAT, not FLAT.* --resync --scope main"):
            index.retain(scope, kept)
    assert (seen(index, ONE), [each.scope for each in index.registered()]) == (["a", "b"], ["main"])
    index.retain(MAIN, [])
    put(index, ONE, [row("a")])
    assert (index.examine(), seen(index, ONE), index.count(ONE)) == ([], ["a"], 1)
