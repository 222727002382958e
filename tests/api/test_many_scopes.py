"""One service over many scopes: each answers from its own index, and not all of them are held open."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from api_client import ENVIRON, KEY, Api, make_project
from search_site import NOW, Piece, Site

from search_api.app import create_app
from searchsocket.stores.local import open_readers
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope

SCOPES = [f"branch-{number}" for number in range(9)]
WITH_KEY = {"authorization": f"Bearer {KEY}"}


def test_many_scopes_are_asked_at_once_and_few_are_held_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_readers, "_MAX_READERS", 3)
    project = make_project(tmp_path)
    site = Site(LocalStore(project.state_dir / "index", project.id))
    for name in SCOPES:
        site.publish([Piece(f"/{name}", f"The zebra of {name}.", title=f"Zebra {name}")], Scope("site", name))
    store = LocalStore(project.state_dir / "index", project.id)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", store=store, clock=lambda: NOW))

    def ask(name: str) -> tuple[int, list[str]]:
        answer = api.get(f"/api/search?q=zebra&scope={name}", headers=WITH_KEY)
        return answer.status_code, [result["url"] for result in answer.json()["results"]]

    with ThreadPoolExecutor(6) as clients:
        answers = list(clients.map(ask, SCOPES * 6))
    assert answers == [(200, [f"/{name}"]) for name in SCOPES * 6]
    assert len(store._readers._readers) <= 3


def test_a_scope_that_was_deleted_is_held_open_no_longer(tmp_path: Path) -> None:
    """Else the disk would stay full until the service is started again."""
    project = make_project(tmp_path)
    store = LocalStore(project.state_dir / "index", project.id)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", store=store, clock=lambda: NOW))
    path = "/api/search?q=battery&scope=secret-branch"
    assert api.get(path, headers=WITH_KEY).status_code == 200
    shutil.rmtree(project.state_dir / "index" / "secret-branch")
    assert api.get(path, headers=WITH_KEY).status_code == 404
    assert "secret-branch" not in store._readers._readers
