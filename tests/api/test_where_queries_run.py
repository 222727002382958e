"""A query that takes few milliseconds is answered where it arrives; one that may take longer never holds up others."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from api_client import ENVIRON, Api, make_project
from search_site import NOW

from search_api.app import create_app
from searchsocket.models.embedders.base import TextKind
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.search import engine
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Vectors


class WatchedEmbedder(HashEmbedder):
    """Notes the threads in which it worked."""

    def __init__(self, *, is_instant: bool) -> None:
        super().__init__()
        self.is_instant = is_instant
        self.threads: list[int] = []

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        self.threads.append(threading.get_ident())
        return super().embed(texts, kind)


def ask_twice(tmp_path: Path, embedder: WatchedEmbedder) -> list[bool]:
    """Send two queries; return, for each, True if it was embedded in the thread of the event loop."""
    project = make_project(tmp_path)
    opened = LocalStore(project.state_dir / "index", project.id)
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0", store=opened, embedder=embedder, clock=lambda: NOW))
    assert [api.get(f"/api/search?q={word}").status_code for word in ("battery", "charge")] == [200, 200]
    return [thread == threading.get_ident() for thread in embedder.threads]


def test_a_quick_query_of_an_open_index_stays_where_it_arrives(tmp_path: Path) -> None:
    assert ask_twice(tmp_path, WatchedEmbedder(is_instant=True)) == [False, True]  # the first one opens the index


def test_a_model_that_takes_its_time_works_in_a_thread(tmp_path: Path) -> None:
    assert ask_twice(tmp_path, WatchedEmbedder(is_instant=False)) == [False, False]


def test_a_large_index_is_searched_in_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_FEW_RECORDS", 1)
    assert ask_twice(tmp_path, WatchedEmbedder(is_instant=True)) == [False, False]
