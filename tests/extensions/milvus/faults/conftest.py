"""A shop whose vectors a Milvus server keeps."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.testing.store.samples import MAIN, fill, record
from tests.extensions.milvus.faults import milvus_shop
from tests.extensions.milvus.running import TOKEN, server_uri


@pytest.fixture(scope="session")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a Milvus server."""
    return server_uri(tmp_path_factory)


@pytest.fixture(scope="session")
def server(uri: str) -> MilvusConnection:
    """To a Milvus server, with nothing between."""
    return MilvusConnection(uri, TOKEN, timeout_s=60.0)


@pytest.fixture(scope="session")
def name(server: MilvusConnection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of collections that all tests of this process share."""
    name = f"faults_{tmp_path_factory.getbasetemp().name.replace('-', '_')}"
    yield name
    for collection in server.call("list_collections"):
        if collection.startswith(name):
            server.call("drop_collection", collection)


@pytest.fixture
def milvus_folder(tmp_path: Path, server: MilvusConnection, name: str) -> Path:
    """Of a project of which OLD is live on the server, where nothing else of it is."""
    store = milvus_shop.store_at(tmp_path / "index", server, name)
    store.vectors.retain(MAIN, [])
    fill(store, [record(each) for each in sorted(milvus_shop.OLD)])
    return tmp_path / "index"
