"""Every endpoint, over every store, with artefacts in every sort of place: what the folder's own index answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from fastapi.testclient import TestClient
from small_site import write_site

from search_api.app import create_app
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.extensions.fleet.settings import artifacts_address
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.project.project import open_project
from tests.extensions.fleet.bucket_servers import MISSING as NO_BUCKETS
from tests.extensions.fleet.bucket_servers import SECRET, bucket_server
from tests.extensions.milvus.running import ENGINES, TOKEN, server_uri
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service

IN_A_BUCKET = pytest.mark.skipif(bool(NO_BUCKETS), reason=NO_BUCKETS)
PLACES = ["file", pytest.param("s3", marks=IN_A_BUCKET), pytest.param("gs", marks=IN_A_BUCKET)]
REQUESTS: list[tuple[str, dict[str, Any] | None]] = [
    ("/api/search?q=bowline", None),
    ("/api/search?q=bowlnie+moorng", None),
    ("/api/search?q=high+water&topK=3&pathPrefix=/docs", None),
    ("/api/search?q=xylophone+zeppelin", None),
    ("/api/find?q=high+water", None),
    ("/api/content/search", {"folder_id": "site", "semantic_concepts": ["holding a boat"], "exact_terms": ["bowline"]}),
    ("/api/documents", {"folder_id": "site", "query": "ropes"}),
    ("/api/ask", {"question": "what holds a mooring rope?"}),
    ("/api/pages?url=/docs/tides", None),
    ("/api/pages/docs/ropes", None),
    ("/api/related?url=/docs/ropes", None),
    ("/api/health", None),
]
# Two runs may differ in these. An empty folder has no source files, so it cannot report whether one changed.
OF_A_RUN = {
    "generation",
    "publishedAt",
    "published_at",
    "timingsMs",
    "timings_ms",
    "ageSeconds",
    "age_seconds",
    "pollAgeSeconds",
}
OF_A_FOLDER = {"changedSince", "changed_since"}


@dataclass(frozen=True)
class Published:
    """A project whose vectors lie somewhere."""

    folder: Path
    environ: dict[str, str]

    def run(self, url: str = "") -> None:
        """Index it, and push what it made; the second time nothing is left to be indexed."""
        environ = self.environ | ({"SEARCHSOCKET__ARTIFACTS__URL": url} if url else {})
        project = open_project(self.folder, environ)
        index_scope(ScopeRun(project, project.scope_named("main"), "run", environ=environ))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def local_answers(cache: str, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return the answers of an index that is stored in the folder."""
    local = Published(write_site(tmp_path_factory.mktemp("local") / "harbour"), {"SEARCHSOCKET_CACHE": cache})
    local.run()
    reply = answers(local.folder, local.environ)
    assert [len(reply[at]["results"]) > 0 for at in range(4)] == [True, True, True, False]
    return reply


@pytest.fixture(scope="module", params=[*ENGINES.values(), "pinecone"])
def published(
    request: pytest.FixtureRequest, cache: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Published]:
    folder = write_site(tmp_path_factory.mktemp(request.param) / "harbour")
    with credentials(request.param, folder.parent, tmp_path_factory) as environ:
        yield Published(folder, environ | {"SEARCHSOCKET_CACHE": cache})


@contextmanager
def credentials(store: str, folder: Path, factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Environment variables to write or read vectors there."""
    if store == "pinecone":
        with running(Service(key=SECRET, max_lag=1)) as service:
            yield {
                "SEARCHSOCKET__VECTOR__PROVIDER": "pinecone",
                "PINECONE_API_KEY": SECRET,
                "PINECONE_CONTROLLER_HOST": service.base_url,
            }
        return
    uri = str(folder / "lite.db") if store == "lite" else server_uri(factory)
    yield {
        "SEARCHSOCKET__VECTOR__PROVIDER": "milvus",
        "SEARCHSOCKET__VECTOR__MILVUS__COLLECTION": f"endpoints_{token_hex(4)}",
        "MILVUS_URI": uri,
    } | ({"MILVUS_TOKEN": TOKEN} if store == "server" else {})


@pytest.mark.parametrize("place", PLACES)
def test_an_empty_folder_answers_every_endpoint(
    place: str, published: Published, local_answers: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with objects_in(place, tmp_path, monkeypatch) as url:
        published.run(url)
        empty = tmp_path / "empty"
        empty.mkdir()
        reply = answers(empty, published.environ | {"SEARCHSOCKET__ARTIFACTS__URL": url})
    assert list(empty.rglob("born.i64")), "the index that was fetched has no vectors elsewhere"
    for (path, _), ours, theirs in zip(REQUESTS, reply, local_answers, strict=True):
        assert ours == theirs, path


@contextmanager
def objects_in(place: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the URL of an empty object store."""
    if place == "file":
        yield (folder / "objects").as_uri()
        return
    with bucket_server(place) as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield f"{server.url}/{token_hex(4)}"


def answers(folder: Path, environ: dict[str, str]) -> list[Any]:
    """Return the answer of a service in a folder to each request."""
    project, store = open_project(folder, environ), None
    if address := artifacts_address(project, ""):
        pulled = open_pulled(project, environ, address)
        project, store = pulled.project, pulled.store
    app = create_app(project, environ=environ, token="opensesame", store=store)
    with TestClient(app, base_url="http://127.0.0.1", headers={"authorization": "Bearer opensesame"}) as client:
        return [answer(client, *request) for request in REQUESTS]


def answer(client: TestClient, path: str, body: dict[str, Any] | None) -> Any:
    response = client.post(path, json=body) if body else client.get(path)
    assert response.status_code == 200, response.text
    return steady(response.json())


def steady(value: Any) -> Any:
    """Without what two runs may differ in."""
    if isinstance(value, dict):
        return {key: steady(inner) for key, inner in value.items() if key not in OF_A_RUN | OF_A_FOLDER}
    return [steady(inner) for inner in value] if isinstance(value, list) else value
