"""What tests damage a copy of: a small project, as the command leaves it; and a shop whose vectors Milvus keeps."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fault_site import Project
from small_site import write_site

from searchsocket.cli.main import cli
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.testing.store.samples import MAIN, fill, record
from tests.faults import milvus_shop
from tests.stores.milvus.running import TOKEN, server_uri


def command(root: Path, name: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [name, *arguments, "--project", str(root)])


@pytest.fixture(scope="session")
def indexed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two generations by the real command, so that there is a Dagster home and something to roll back to."""
    root = write_site(tmp_path_factory.mktemp("faults") / "harbour")
    assert command(root, "index").exit_code == 0
    return root


@pytest.fixture
def project(indexed_once: Path, tmp_path: Path) -> Project:
    return Project(shutil.copytree(indexed_once, tmp_path / "harbour"))


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
