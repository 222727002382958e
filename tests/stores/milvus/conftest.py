"""Real engines of Milvus: Lite in this process, and a server where `MILVUS_TEST_URI` names one (`make milvus`)."""

import os
import secrets
from collections.abc import Iterator

import pytest

from searchsocket.stores.milvus.connection import Connection

SERVER = os.environ.get("MILVUS_TEST_URI", "")
ENGINES = ["lite", pytest.param("server", marks=pytest.mark.skipif(not SERVER, reason="MILVUS_TEST_URI names none"))]


@pytest.fixture(scope="session", params=ENGINES)
def milvus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Connection:
    uri = str(tmp_path_factory.mktemp("milvus") / "lite.db") if request.param == "lite" else SERVER
    return Connection(uri, "", timeout_s=30.0)


@pytest.fixture
def name(milvus: Connection) -> Iterator[str]:
    """Of collections that go with the test."""
    name = f"t{secrets.token_hex(6)}"
    yield name
    for collection in milvus.call("list_collections"):
        if collection.startswith(name):
            milvus.call("drop_collection", collection)
