"""`/api/health`: is it alive, does it answer."""

import threading
import weakref
from itertools import islice
from pathlib import Path
from queue import Queue

import pytest
from api_client import ENVIRON, KEY, Api, make_project
from fastapi.testclient import TestClient
from search_site import DOCS, MAIN, NOW, Piece, Site

from search_api import app as app_module
from search_api.app import create_app
from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.project.project import open_project
from searchsocket.stores.local import reader
from searchsocket.stores.local.catalogue.snapshot import LocalCatalogue
from searchsocket.stores.local.store import LocalStore


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
    Site(LocalStore(project.state_dir / "index", project.id)).publish(DOCS)
    assert api.get("/api/health").status_code == 200
    assert api.post({"q": "battery"}).status_code == 200


def test_probes_are_answered_under_any_host_name(tmp_path: Path) -> None:
    """A prober asks by the address of a machine. Liveness needs no index, readiness does."""
    toml = '[project]\nid = "site"\n[embeddings]\nprovider = "hash"\n[api]\nallowed_hosts = ["search.example"]\n'
    (tmp_path / "searchsocket.toml").write_text(toml)
    project = open_project(tmp_path, {})
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"), base="http://10.1.2.3:8181")
    assert (api.get("/api/live").status_code, api.get("/api/live").json()) == (200, {"live": True})
    assert api.get("/api/ready").status_code == 503
    assert api.get("/api/ready").json() == {"ready": False, "reason": "a public scope has no usable index"}
    assert api.get("/api/health").status_code == 421
    Site(LocalStore(project.state_dir / "index", project.id)).publish(DOCS)
    assert (api.get("/api/ready").status_code, api.get("/api/ready").json()["ready"]) == (200, True)


def test_an_index_of_another_model_is_not_ready(tmp_path: Path) -> None:
    """A wrong model is found out before the first query (spec 26.1)."""

    class Other(HashEmbedder):
        model_id = "other-v1"

    app = create_app(make_project(tmp_path), environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW, embedder=Other())
    api = Api(app)
    assert api.get("/api/health").status_code == 503
    answer = api.post({"q": "battery"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "EMBEDDING_MODEL_MISMATCH")


def test_an_index_of_another_project_is_not_ready(tmp_path: Path) -> None:
    """A copied folder has another project's index; each search was an internal error."""
    project = make_project(tmp_path)
    config = project.root / "searchsocket.toml"
    config.write_text(config.read_text().replace(f'id = "{project.id}"', 'id = "copy"'))
    api = Api(create_app(open_project(project.root, {}), environ=ENVIRON, host="0.0.0.0"))
    assert api.get("/api/health").status_code == 503
    answer = api.post({"q": "battery"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "PROJECT_MISMATCH")
    assert str(tmp_path) not in answer.text


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


def test_a_bad_new_generation_is_degraded_and_answers_go_on(tmp_path: Path) -> None:
    """Whoever balances load keeps the service; strangers read no path, the trusted read which file it is."""
    project = make_project(tmp_path)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))
    assert api.post({"q": "battery"}).status_code == 200
    first = api.get("/api/health").json()["scopes"][0]
    assert first["degraded"] is None
    site = Site(LocalStore(project.state_dir / "index", project.id))
    site.publish([Piece("/docs/sails", "Sails are hoisted at dawn.")])
    folder = project.state_dir / "index/main" / site.store.reader(MAIN).generation.name
    (path,) = [pack for pack in folder.glob("packs/*.f32") if pack.stat().st_nlink == 1]  # the other one is shared
    path.write_bytes(path.read_bytes()[:100])
    for _ in range(3):
        answer = api.post({"q": "battery"})
        assert (answer.status_code, answer.json()["meta"]["generation"]) == (200, first["generation"])
    health = api.get("/api/health")
    scope = health.json()["scopes"][0]
    assert (health.status_code, scope["ready"], scope["generation"]) == (200, True, first["generation"])
    assert scope["degraded"].startswith("an older generation answers")
    assert scope["degradedBy"] == ["older_generation"]
    assert str(tmp_path) not in health.text
    trusted = api.get("/api/health", headers={"authorization": f"Bearer {KEY}"}).json()["scopes"][0]
    assert str(path) in trusted["degraded"]


def test_health_opens_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more scopes than are held open, it would open and hash all of them again for every anonymous request."""
    project = make_project(tmp_path)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an index was opened")

    monkeypatch.setattr(reader.LocalReader, "__init__", refuse)
    body = api.get("/api/health").json()
    assert [(scope["ready"], scope["records"]) for scope in body["scopes"]] == [(True, 7)]


def test_a_service_lets_go_of_old_generations_where_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshed = threading.Event()

    class Store(LocalStore):
        def refresh(self) -> list[SearchSocketError]:
            failed = super().refresh()
            refreshed.set()
            return failed

    project = make_project(tmp_path)
    store = Store(project.state_dir / "index", project.id)
    reader_reference: weakref.ref[reader.LocalReader] = weakref.ref(store.reader(MAIN))
    Site(LocalStore(project.state_dir / "index", project.id)).publish([Piece("/docs/sails", "Sails.")])
    monkeypatch.setattr(app_module, "REFRESH_S", 0.0)
    with TestClient(create_app(project, environ=ENVIRON, store=store, embedder=HashEmbedder())):
        refreshed.clear()
        assert refreshed.wait(60)
    assert reader_reference() is None


def test_a_service_reads_its_records_before_anybody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And those of a generation that becomes live later."""
    ahead: Queue[int] = Queue()
    read = LocalCatalogue.read_ahead

    def noted(self: LocalCatalogue) -> None:
        read(self)
        ahead.put(len(self._records._cache.values))

    monkeypatch.setattr(LocalCatalogue, "read_ahead", noted)
    monkeypatch.setattr(app_module, "REFRESH_S", 0.0)
    project = make_project(tmp_path)
    store = LocalStore(project.state_dir / "index", project.id)
    with TestClient(create_app(project, environ=ENVIRON, store=store, embedder=HashEmbedder())):
        assert ahead.get_nowait() == store.reader(MAIN).generation.records
        Site(LocalStore(project.state_dir / "index", project.id)).publish([Piece("/docs/sails", "Sails.")])
        later = LocalStore(project.state_dir / "index", project.id).reader(MAIN).generation.records
        refreshed_before = ahead.qsize()  # on a busy machine the service may have refreshed a thousand times by now
        assert later in islice(iter(lambda: ahead.get(timeout=60), None), refreshed_before + 1_000)
