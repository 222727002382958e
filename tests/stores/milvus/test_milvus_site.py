"""A whole site with its vectors in Milvus: moved there, answered from there, and from a machine with an empty disk."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bench.relevance.example_site import SITE
from tests.artifacts.processes import answer, command, served
from tests.artifacts.site_queries import queries

pytestmark = pytest.mark.slow

NOTHING_LESS = {"SEARCHSOCKET__SEARCH__ON_BACKEND_FAILURE": "error"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example site, indexed with its vectors in the folder."""
    shop = tmp_path_factory.mktemp("shop")
    shutil.copytree(SITE / "build", shop / "local" / "build")
    (shop / "local" / "searchsocket.toml").write_text('[project]\nid = "handbook"\n')
    command(shop / "local", "index", SEARCHSOCKET_CACHE=str(shop / "cache"))
    return shop


@pytest.fixture(scope="module")
def milvus(shop: Path) -> dict[str, str]:
    """The same project in another folder, moved to Milvus Lite and pushed; the environment of whoever reads it."""
    shutil.copytree(shop / "local", shop / "moved")
    environ = {
        "MILVUS_URI": str(shop / "lite.db"),
        "SEARCHSOCKET__ARTIFACTS__URL": (shop / "objects").as_uri(),
    }
    moving = environ | {"SEARCHSOCKET__VECTOR__PROVIDER": "milvus", "SEARCHSOCKET_CACHE": str(shop / "cache")}
    summary = command(shop / "moved", "index", **moving)
    assert summary["embeddings"]["created"] == 0, summary
    assert not list((shop / "moved" / ".searchsocket").rglob("vectors.f32"))
    again = command(shop / "moved", "index", **moving)
    assert again["records"]["upserted"] == 0, again
    return environ


@pytest.fixture(scope="module")
def local(shop: Path) -> Iterator[httpx.Client]:
    with served(shop / "local") as client:
        yield client


def test_an_empty_disk_with_address_and_credentials_answers_as_the_local_store(
    shop: Path, milvus: dict[str, str], local: httpx.Client
) -> None:
    empty = shop / "empty"
    empty.mkdir()
    with served(empty, **milvus) as remote:
        for number, query in enumerate(queries()):
            narrower = [{}, {"pathPrefix": "/docs/recipes"}, {"tag": "guide"}][number % 3]
            wanted, found = (answer(side, "/api/search", q=query, topK=10, **narrower) for side in (local, remote))
            assert (wanted[0], found[0]) == (200, 200), (wanted, found)
            assert _without_name(found[1]["results"]) == _without_name(wanted[1]["results"]), query
        for path in ("/api/related", "/api/pages"):
            wanted, found = (answer(side, path, url="/docs/recipes/milvus") for side in (local, remote))
            assert (wanted[0], _without_name(found[1])) == (200, _without_name(wanted[1]))


def test_a_server_that_is_away_is_said_so_and_is_no_empty_answer(shop: Path, milvus: dict[str, str]) -> None:
    environ = {"SEARCHSOCKET__VECTOR__PROVIDER": "milvus", "SEARCHSOCKET__VECTOR__MILVUS__TIMEOUT_S": "1"}
    nobody = "http://someone:opensesame@127.0.0.1:9"
    environ |= {"MILVUS_URI": nobody, "MILVUS_TOKEN": "a:secret"}
    said = command(shop / "moved", "index", "--force", status=5, **environ)
    assert said["error"]["code"] == "VECTOR_BACKEND_UNAVAILABLE"
    assert "127.0.0.1:9" in said["error"]["message"]
    assert not any(secret in str(said) for secret in ("opensesame", "secret"))
    asked = command(shop / "moved", "search", "install", **environ)
    assert asked["results"]
    assert [note["code"] for note in asked["meta"]["notes"]] == ["VECTOR_BACKEND_UNAVAILABLE"]
    refused = command(shop / "moved", "search", "install", status=5, **environ, **NOTHING_LESS)
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
