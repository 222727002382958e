"""A whole site with its vectors in Milvus: moved there, answered from there, and from a machine with an empty disk."""

import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.relevance.example_site import SITE
from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.milvus.connection import MilvusConnection
from tests.extensions.milvus.running import ENGINES, TOKEN, server_uri
from tests.processes import answer, command, served
from tests.site_queries import queries

SECRET = "opensesame-1234567890"
NOTHING_LESS = {"SEARCHSOCKET__SEARCH__ON_BACKEND_FAILURE": "error"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example site, indexed with its vectors in the folder."""
    shop = tmp_path_factory.mktemp("shop")
    shutil.copytree(SITE / "build", shop / "local" / "build")
    (shop / "local" / "searchsocket.toml").write_text('[project]\nid = "handbook"\n')
    command(shop / "local", "index", SEARCHSOCKET_CACHE=str(shop / "cache"))
    return shop


@dataclass(frozen=True)
class Moved:
    """A project that was moved to Milvus, and the environment of whoever reads it."""

    folder: Path
    reading: dict[str, str]


@pytest.fixture(scope="module", params=[ENGINES["server"], pytest.param("lite", marks=pytest.mark.long)])
def moved(request: pytest.FixtureRequest, shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    """The same project in another folder, with its vectors in Milvus and pushed."""
    engine = request.param
    uri = str(shop / "lite.db") if engine == "lite" else server_uri(tmp_path_factory)
    collection = f"site_{secrets.token_hex(4)}"
    root = MilvusConnection(uri, TOKEN, timeout_s=60.0)
    if engine == "server":
        root.call("create_user", collection, SECRET)
        root.call("grant_role", collection, "admin")
        _wait_for_grant(MilvusConnection(uri, f"{collection}:{SECRET}", timeout_s=60.0), f"{collection}_probe")
    folder = shop / engine
    shutil.copytree(shop / "local", folder)
    reading = {
        "SEARCHSOCKET__VECTOR__PROVIDER": "milvus",
        "MILVUS_URI": uri,
        "MILVUS_TOKEN": f"{collection}:{SECRET}",  # Lite passes over it
        "SEARCHSOCKET__VECTOR__MILVUS__COLLECTION": collection,
        "SEARCHSOCKET__ARTIFACTS__URL": (shop / f"{engine}-objects").as_uri(),
    }
    writing = {"SEARCHSOCKET_CACHE": str(shop / "cache")}
    summary = command(folder, "index", **reading, **writing)
    assert summary["embeddings"]["created"] == 0, summary
    assert not list((folder / ".searchsocket").rglob("*/packs/*.f32"))
    again = command(folder, "index", **reading, **writing)
    assert again["records"]["upserted"] == 0, again
    yield Moved(folder, reading)
    command(folder, "clean", "--all", "--remote", "--confirm", "handbook", **reading, **writing)
    if engine == "server":
        root.call("drop_user", collection)


def _wait_for_grant(user: MilvusConnection, collection: str) -> None:
    """A role that was granted applies a moment later, once the server's parts have heard of it."""
    for attempt in range(30):
        try:
            user.call("create_collection", collection, 4)
        except VectorBackendUnavailable:
            if attempt == 29:
                raise
            time.sleep(1)
        else:
            user.call("drop_collection", collection)
            return


@pytest.fixture(scope="module")
def local(shop: Path) -> Iterator[httpx.Client]:
    with served(shop / "local") as client:
        yield client


def test_an_empty_disk_with_address_and_credentials_answers_as_the_local_store(
    shop: Path, moved: Moved, local: httpx.Client
) -> None:
    empty = shop / f"empty-{moved.folder.name}"
    empty.mkdir()
    with served(empty, **moved.reading) as remote:
        for number, query in enumerate(queries()):
            narrower = [{}, {"pathPrefix": "/docs/recipes"}, {"tag": "guide"}][number % 3]
            wanted, found = (answer(side, "/api/search", q=query, topK=10, **narrower) for side in (local, remote))
            assert (wanted[0], found[0]) == (200, 200), (wanted, found)
            assert _without_name(found[1]["results"]) == _without_name(wanted[1]["results"]), query
        for path in ("/api/related", "/api/pages"):
            wanted, found = (answer(side, path, url="/docs/recipes/milvus") for side in (local, remote))
            assert (wanted[0], _without_name(found[1])) == (200, _without_name(wanted[1]))
        assert SECRET not in remote.get("/openapi.json").text + remote.get("/api/health").text
    assert telling(moved.folder, empty) == []


def telling(*folders: Path) -> list[Path]:
    """Files with a secret in them: of the state with the reports of its runs, and of the home of whoever ran it."""
    folders += tuple(folder.with_name(f"{folder.name}-home") for folder in folders)
    kept = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert any(path.parent.parent.name == "runs" for path in kept), "the reports of runs are elsewhere"
    return [path for path in kept if b"opensesame" in path.read_bytes()]


@pytest.mark.long
@pytest.mark.parametrize("moved", [ENGINES["lite"]], indirect=True, scope="module")
def test_a_server_that_is_away_is_said_so_and_is_no_empty_answer(moved: Moved) -> None:
    """Nobody answers there, whichever engine the vectors lay in."""
    environ = {"SEARCHSOCKET__VECTOR__PROVIDER": "milvus", "SEARCHSOCKET__VECTOR__MILVUS__TIMEOUT_S": "1"}
    nobody = "http://someone:opensesame@127.0.0.1:9"
    environ |= {"MILVUS_URI": nobody, "MILVUS_TOKEN": "a:secret"}
    said = command(moved.folder, "index", "--force", status=5, **environ)
    assert said["error"]["code"] == "VECTOR_BACKEND_UNAVAILABLE"
    assert "127.0.0.1:9" in said["error"]["message"]
    assert not any(secret in str(said) for secret in ("opensesame", "secret"))
    assert telling(moved.folder) == []
    asked = command(moved.folder, "search", "install", **environ)
    assert asked["results"]
    assert [note["code"] for note in asked["meta"]["notes"]] == ["VECTOR_BACKEND_UNAVAILABLE"]
    refused = command(moved.folder, "search", "install", status=5, **environ, **NOTHING_LESS)
    assert refused["error"]["code"] == "VECTOR_BACKEND_UNAVAILABLE"


def test_the_address_of_the_server_is_asked_for(shop: Path) -> None:
    said = command(shop / "local", "search", "x", status=3, SEARCHSOCKET__VECTOR__PROVIDER="milvus")
    assert said["error"]["code"] == "CONFIG_MISSING"
    assert "MILVUS_URI" in said["error"]["message"]


def _without_name(value: Any) -> Any:
    """Two projects publish two generations."""
    if isinstance(value, dict):
        return {key: _without_name(inner) for key, inner in value.items() if key not in ("generation", "publishedAt")}
    return [_without_name(inner) for inner in value] if isinstance(value, list) else value
