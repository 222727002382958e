"""A service with an earlier copy starts while the object store hangs, says so, and follows it later."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_site import write_site

from searchsocket.extensions.fleet import pulled
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.project.project import open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import SearchService, open_service


class HangingObjects:
    """Objects that answer nothing until they are released."""

    def __init__(self, url: str) -> None:
        self._objects = open_objects(url)
        self.released = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)

    def stream(self, name: str) -> Iterator[bytes]:
        self.released.wait()
        return self._objects.stream(name)


def follower(folder: Path, url: str, now: list[float]) -> SearchService:
    opened = pulled.open_pulled(open_project(folder, {}), {}, url, monotonic=lambda: now[0])
    return open_service(opened.project, {}, store=opened.store)


def test_a_copy_answers_until_the_object_store_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = (tmp_path / "objects").as_uri()
    root = write_site(tmp_path / "site")
    (root / "searchsocket.toml").write_text(f'[api]\nscopes = ["main"]\n[artifacts]\nurl = "{url}"\n')
    project = open_project(root, {})
    index_scope(ScopeRun(project, project.scope_named("main"), "run", environ={}))
    now, folder, objects = [0.0], tmp_path / "reader", HangingObjects(url)
    folder.mkdir()
    monkeypatch.setattr(pulled, "open_objects", lambda _: objects)
    monkeypatch.setattr(pulled, "_START_S", 0.05)
    objects.released.set()
    assert follower(folder, url, now).health(trusted=True).scopes[0].degraded is None

    objects.released.clear()
    service = follower(folder, url, now)
    scope = service.scopes.find("main", trusted=False)
    assert service.search(SearchQuery("mooring rope"), scope).results[0].url == "/docs/ropes"
    assert "did not answer within" in (service.health(trusted=True).scopes[0].degraded or "")

    objects.released.set()
    deadline = time.monotonic() + 60
    while service.health(trusted=True).scopes[0].degraded:  # the first request may hold the lock of the pull
        assert time.monotonic() < deadline
        now[0] += 3_600
        service.refresh()
