"""`/api/health`: is it alive, does it answer."""

from pathlib import Path

import pytest
from api_client import ENVIRON, KEY, Api, make_project
from search_site import NOW, Site

from search_api.app import create_app
from searchsocket.embedders.hash import HashEmbedder
from searchsocket.project import open_project
from searchsocket.stores.local import LocalStore


def test_a_ready_service_tells_each_public_scope(api: Api) -> None:
    answer = api.get("/api/health")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["live"], body["ready"], body["backend"]) == (True, True, None)
    [scope] = body["scopes"]
    assert (scope["scope"], scope["ready"], scope["records"], scope["ageSeconds"]) == ("main", True, 7, 3600)
    assert scope["modelId"] == "hash-512-v1"


def test_the_trusted_see_every_scope_and_the_backend(api: Api) -> None:
    body = api.get("/api/health", headers={"authorization": f"Bearer {KEY}"}).json()
    assert [scope["scope"] for scope in body["scopes"]] == ["main", "secret-branch"]
    assert body["backend"]


def test_without_an_index_it_lives_but_is_not_ready(tmp_path: Path) -> None:
    """An empty machine starts, says so, and is ready once the first index is there; no restart."""
    (tmp_path / "searchsocket.toml").write_text('[project]\nid = "site"\n[embeddings]\nprovider = "hash"\n')
    project = open_project(tmp_path, {})
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    health = api.get("/api/health")
    assert (health.status_code, health.json()["live"], health.json()["ready"]) == (503, True, False)
    refused = api.post({"q": "battery"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "SCOPE_NOT_INDEXED")
    from search_site import DOCS

    Site(LocalStore(project.state_dir / "index", project.id)).publish(DOCS)
    assert api.get("/api/health").status_code == 200
    assert api.post({"q": "battery"}).status_code == 200


def test_an_index_of_another_model_is_not_ready(tmp_path: Path) -> None:
    """A wrong model is found out before the first query (DESIGN 8)."""

    class Other(HashEmbedder):
        model_id = "other-v1"

    app = create_app(make_project(tmp_path), environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW, embedder=Other())
    api = Api(app)
    assert api.get("/api/health").status_code == 503
    answer = api.post({"q": "battery"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "EMBEDDING_MODEL_MISMATCH")


@pytest.mark.parametrize("name", ["CURRENT", "manifest.json"])
def test_a_damaged_index_is_an_error_not_an_empty_answer(tmp_path: Path, name: str) -> None:
    """Failure mode 45."""
    project = make_project(tmp_path)
    next((project.state_dir / "index" / "main").rglob(name)).write_bytes(b"\xff{")
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    assert api.get("/api/health").status_code == 503
    answer = api.post({"q": "battery"})
    assert answer.status_code == 503
    assert str(tmp_path) not in answer.text
