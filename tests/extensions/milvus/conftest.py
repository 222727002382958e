"""Real engines of Milvus: Lite in this process, and the server of `make milvus` where its environment is there."""

from collections.abc import Iterator

import pytest

from searchsocket.extensions.milvus.connection import MilvusConnection
from tests.extensions.milvus.running import ENGINES, TOKEN, server_uri

_NAME = "contract"  # of collections that tests share: to make one takes a server three seconds
_OWNER = "searchsocket, project shop"


@pytest.fixture(scope="session", params=list(ENGINES.values()))
def milvus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusConnection]:
    folder = tmp_path_factory.mktemp("milvus")
    uri = str(folder / "lite.db") if request.param == "lite" else server_uri(tmp_path_factory)
    connection = MilvusConnection(uri, TOKEN, timeout_s=60.0)
    yield connection
    for collection in _of_a_test(connection, own_name(request)):
        connection.call("drop_collection", collection)


def own_name(request: pytest.FixtureRequest) -> str:
    """Of the collections of this process: several share a server."""
    return f"{_NAME}_{getattr(request.config, 'workerinput', {}).get('workerid', 'alone')}"


@pytest.fixture
def name(milvus: MilvusConnection, request: pytest.FixtureRequest) -> Iterator[str]:
    """Of collections in which nothing is."""
    name = own_name(request)
    yield name
    for collection in _of_a_test(milvus, name):
        described = milvus.call("describe_collection", collection).get("description", "")
        if described.startswith(_OWNER[:12]) and described != _OWNER:  # else the next test's project is refused
            milvus.call("drop_collection", collection)
            continue
        milvus.load(collection)
        milvus.call("delete", collection, filter='row_key >= ""')
        # Who reads so sees all that came before, and whoever reads later does.
        options = {"output_fields": ["count(*)"], "consistency_level": "Strong"}
        assert milvus.call("query", collection, filter="", **options)[0]["count(*)"] == 0


def _of_a_test(connection: MilvusConnection, name: str) -> list[str]:
    return [each for each in connection.call("list_collections") if each.startswith(f"{name}_")]
