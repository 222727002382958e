"""Embedding provider of a scope: `auto` is decided at its first index, and only a person changes it."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_site import write_site

from searchsocket.backends import Backends
from searchsocket.errors import ConfigError, ConfigMissing, EmbeddingModelMismatch
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope, plan_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.project import open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from tests.models.embedders.openai_server import DIMENSIONS, KEY, Server, serve

WITH_KEY = {"OPENAI_API_KEY": KEY}
_numbers = itertools.count()


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as listening:
        yield listening


@pytest.fixture
def root(tmp_path: Path, server: Server) -> Path:
    root = write_site(tmp_path / "site")
    config = f'provider = "auto"\nbase_url = "{server.url}"\ndimensions = {DIMENSIONS}\nquery_timeout_s = 20.0\n'
    (root / "searchsocket.toml").write_text(f"[embeddings]\n{config}")
    return root


def run(root: Path, environ: dict[str, str], **options: bool) -> ScopeRun:
    project = open_project(root, environ)
    scope = project.scope_named("main")
    return ScopeRun(project, scope, f"run-{next(_numbers)}", RunOptions(**options), environ=environ)


def index(root: Path, environ: dict[str, str], **options: bool) -> IndexSummary:
    return index_scope(run(root, environ, **options))


def provider(root: Path) -> str:
    """Return the provider of the live index."""
    project = open_project(root, {})
    live = Backends(project, {}).store.generation(project.scope_named("main"))
    return live.model_id.partition("-")[0] if live else ""


def edit(root: Path) -> None:
    (root / "build" / "new.html").write_text("<html><body><main><h1>New</h1><p>A fresh page.</p></main></body></html>")


def test_with_a_key_it_is_openai_and_stays_so(root: Path, server: Server) -> None:
    index(root, WITH_KEY)
    assert provider(root) == "openai"
    edit(root)
    for work in (lambda: index(root, {}), lambda: index(root, {}, force=True)):
        with pytest.raises(ConfigMissing, match="EMBEDDINGS_PROVIDER=local searchsocket index --force"):
            work()
    assert provider(root) == "openai"
    paid = len(server.paid)
    assert plan_scope(run(root, {})).embeddings["created"] == 1  # which needs no key
    assert len(server.paid) == paid


def test_without_a_key_it_is_local_and_stays_so(root: Path, server: Server) -> None:
    index(root, {})
    edit(root)
    index(root, WITH_KEY)
    index(root, WITH_KEY, force=True)
    assert provider(root) == "builtin"
    assert server.requests == []


def test_a_person_moves_it(root: Path, server: Server) -> None:
    index(root, WITH_KEY)
    local = {"EMBEDDINGS_PROVIDER": "local"}
    with pytest.raises(EmbeddingModelMismatch, match="searchsocket index --force"):
        index(root, local)
    index(root, local, force=True)
    assert provider(root) == "builtin"
    index(root, WITH_KEY)  # `auto` again
    assert provider(root) == "builtin"
    index(root, WITH_KEY | {"EMBEDDINGS_PROVIDER": "openai"}, force=True)
    assert provider(root) == "openai"


def test_queries_go_to_who_made_the_index(root: Path, server: Server) -> None:
    index(root, {})
    project = open_project(root, WITH_KEY)
    answer = open_service(project, WITH_KEY).search(SearchQuery("rope"), project.scope_named("main"))
    assert answer.results
    assert server.requests == []
    index(root, WITH_KEY | {"EMBEDDINGS_PROVIDER": "openai"}, force=True)
    service = open_service(project, WITH_KEY)
    assert service.search(SearchQuery("rope"), project.scope_named("main")).meta.notes == ()
    assert server.requests[-1]["input"] == ["rope"]
    assert service.health(trusted=False).ready
    keyless = open_service(project, {})
    assert not keyless.health(trusted=False).ready
    with pytest.raises(ConfigMissing, match="OPENAI_API_KEY"):
        keyless.search(SearchQuery("rope"), project.scope_named("main"))


def test_a_damaged_record_is_an_error(root: Path) -> None:
    """Else a damaged file would send a site to another provider."""
    index(root, {})
    for manifest in (root / ".searchsocket" / "index").rglob("manifest.json"):
        manifest.write_bytes(b"{")
    for environ in ({}, WITH_KEY):
        with pytest.raises(ConfigError, match="EMBEDDINGS_PROVIDER=local searchsocket index"):
            index(root, environ)
    index(root, {"EMBEDDINGS_PROVIDER": "local"})
    assert provider(root) == "builtin"


def test_backends_are_created_on_first_use(root: Path) -> None:
    backends = Backends(open_project(root, {}), {})
    assert backends.store is backends.store
    assert backends.embedder_of("") is backends.embedder_of("")
    assert not (root / ".searchsocket").exists()
