"""Data of earlier releases can be used: `release/formats.py` writes an archive of each release."""

import os
import tarfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from release.formats import FOLDER
from search_api.app import create_app
from searchsocket import __version__
from searchsocket.backends import Backends
from searchsocket.errors import ScopeLocked
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.fleet.lease import DURATION_S
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.extensions.fleet.run_lease import run_lease
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.rollback import roll_back
from searchsocket.pipeline.run.upgrade import indexed_scopes, upgrade_scope
from searchsocket.project.project import Project, open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from searchsocket.stores.local.layout import FORMAT, OLDER_FORMATS
from searchsocket.types import Scope
from tests.api_client import Api

ARCHIVES = {path.name.removesuffix(".tar.xz"): path for path in sorted(FOLDER.glob("*.tar.xz"))}
KEY = "correct horse battery staple"


@dataclass(frozen=True)
class Release:
    """An archive, unpacked: a project, its objects and its embedding cache."""

    root: Path

    @property
    def url(self) -> str:
        return (self.root / "store").as_uri()

    @property
    def environ(self) -> Mapping[str, str]:
        cache = str(self.root / "cache")
        return {"SEARCHSOCKET_CACHE": cache, "SEARCHSOCKET__ARTIFACTS__URL": self.url, "SEARCHSOCKET_API_KEY": KEY}

    @property
    def project(self) -> Project:
        return open_project(self.root / "project", self.environ)

    def urls(self, query: str, scope: str = "main") -> list[str]:
        service = open_service(self.project, self.environ)
        answer = service.search(SearchQuery(query), self.project.scope_named(scope))
        return [result.url for result in answer.results]

    def pages_with(self, word: str, scope: str = "main") -> list[str]:
        """Pages that contain a word, by the words of the index alone."""
        reader = Backends(self.project, self.environ).store.reader(self.project.scope_named(scope))
        hits = reader.words.search(word, top_k=10)
        return [record.page.url for record in reader.catalogue.records([hit.id for hit in hits])]

    def upgrade(self) -> list[str]:
        older = [scope for scope in indexed_scopes(self.project) if scope.is_older]
        return [upgrade_scope(item, self.environ) for item in older]

    def pulled_urls(self, query: str, folder: Path, scope: str = "main") -> list[str]:
        """Return the URLs of the results on a machine with an empty disk."""
        folder.mkdir(exist_ok=True)
        pulled = open_pulled(open_project(folder, {}), self.environ, self.url)
        service = open_service(pulled.project, self.environ, store=pulled.store)
        return [result.url for result in service.search(SearchQuery(query), Scope(pulled.project.id, scope)).results]


@pytest.fixture(params=ARCHIVES)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Release:
    with tarfile.open(ARCHIVES[request.param]) as archive:
        archive.extractall(tmp_path, filter="data")
    return Release(tmp_path)


def test_this_release_has_an_archive() -> None:
    """`make formats` writes it, before the release."""
    assert __version__ in ARCHIVES


def test_pages_code_and_older_generations_are_found(release: Release) -> None:
    for scope in ("main", "next"):
        assert release.urls("where does the arctic tern fly", scope)[0] == "/terns"
    code = code_home(release.project)
    reader = Backends(code, release.environ).store.reader(code.scope_named("main"))
    assert reader.words.search("add_fare", top_k=5) != []


def test_a_service_answers(release: Release) -> None:
    api = Api(create_app(release.project, environ=release.environ), base="http://127.0.0.1")
    headers = {"authorization": f"Bearer {KEY}"}
    assert api.get("/api/search?q=arctic+tern", headers=headers).json()["results"][0]["url"] == "/terns"
    assert "arctic tern" in api.get("/api/pages/terns", headers=headers).text
    assert api.get("/api/health", headers=headers).json()["ready"]
    code = api.post({"query": "add_fare"}, "/api/code/search", headers=headers)
    assert "src/fares.py" in code.text


def test_an_empty_disk_pulls_before_and_after_the_upgrade(release: Release, tmp_path: Path) -> None:
    """So readers can be upgraded before writers, and writers before readers of the same release."""
    assert release.pulled_urls("arctic tern", tmp_path / "reader")[0] == "/terns"
    generations = release.upgrade()
    assert release.pulled_urls("arctic tern", tmp_path / "reader")[0] == "/terns"
    assert release.pulled_urls("arctic tern", tmp_path / "another")[0] == "/terns"
    assert len(list((release.root / "store" / "scopes" / "main").glob("2*.json"))) == (2 if generations else 1)


def test_an_upgrade_keeps_contents_and_finds_what_only_the_new_format_finds(release: Release) -> None:
    store = Backends(release.project, release.environ).store
    scopes = [release.project.scope_named(name) for name in ("main", "next")]
    before = {scope.name: store.generation(scope) for scope in scopes}
    formats = {(item.corpus, item.scope.name): item.format for item in indexed_scopes(release.project)}
    assert set(formats) == {("site", "main"), ("site", "next"), ("code", "main"), ("code", "next")}
    assert set(formats.values()) <= {*OLDER_FORMATS, FORMAT}
    assert len(release.upgrade()) == sum(number < FORMAT for number in formats.values())
    assert release.upgrade() == []
    for scope in scopes:
        store = Backends(release.project, release.environ).store
        assert store.verify(scope) == []
        after, old = store.generation(scope), before[scope.name]
        assert after
        assert old
        assert (after.digest, after.bodies_digest, after.published_at) == (
            old.digest,
            old.bodies_digest,
            old.published_at,
        )
        assert release.pages_with("=>", scope.name) == ["/operators"]
        assert release.pages_with("話", scope.name) == ["/japanese"]


def test_a_run_continues_with_the_cache_and_the_golden_results(release: Release) -> None:
    """The state of an older schema is built again; texts that this release reads the same cost nothing."""
    project = release.project
    run = ScopeRun(project, project.scope_named("main"), "run-1", RunOptions(), environ=release.environ)
    summary = index_scope(run)
    assert summary.embeddings["reused"] > 0
    golden = Backends(project, release.environ).state.golden_runs("main", 10)
    assert len(golden) >= 1
    assert {item.recall for item in golden} == {1.0}
    assert {
        scope.format for scope in indexed_scopes(project) if scope.scope.name == "main" and scope.corpus == "site"
    } == {FORMAT}
    assert release.pages_with("=>") == ["/operators"]


def test_an_upgrade_can_be_rolled_back(release: Release) -> None:
    if release.upgrade():
        roll_back(release.project, release.project.scope_named("main"), release.environ)
        assert release.urls("arctic tern")[0] == "/terns"


def test_the_lease_of_another_machine_is_respected_and_ends(release: Release) -> None:
    project = release.project
    scope = project.scope_named("leased")
    pointer = release.root / "store" / "scopes" / "leased" / "CURRENT.json"
    now = time.time()
    os.utime(pointer, (now, now))
    with pytest.raises(ScopeLocked, match="run 01234567"), run_lease(project, scope):
        pass
    os.utime(pointer, (now - DURATION_S - 1, now - DURATION_S - 1))
    with run_lease(project, scope) as lease:
        assert lease
        assert lease.pointer.fence == 2
