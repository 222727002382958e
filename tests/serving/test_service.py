"""One service answers for every surface, without a web server (spec 14.1)."""

from dataclasses import replace
from pathlib import Path

import pytest
from search_site import DOCS, MAIN, NOW, Site

from searchsocket.errors import IndexCorrupt, InvalidScope, PageMissing, ScopeRefused
from searchsocket.models.embedders import builtin
from searchsocket.project.project import Project, open_project
from searchsocket.search.query import SearchQuery
from searchsocket.serving import service as service_module
from searchsocket.serving.scopes import ReadableScopes
from searchsocket.serving.service import SearchService, open_service
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.local.catalogue.snapshot import LocalCatalogue
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Scope


def project_in(root: Path, toml: str = "") -> Project:
    root.mkdir(exist_ok=True)
    (root / "searchsocket.toml").write_text(f'[project]\nid = "site"\n[embeddings]\nprovider = "hash"\n{toml}')
    return open_project(root, {})


@pytest.fixture
def service(tmp_path: Path) -> SearchService:
    project = project_in(tmp_path)
    site = Site(LocalStore(project.state_dir / "index", project.id))
    site.publish(DOCS)
    site.publish(DOCS[:2], Scope("site", "secret-branch"))
    return open_service(project, {}, clock=lambda: NOW)


def test_it_answers_by_itself(service: SearchService) -> None:
    assert service.search(SearchQuery("battery"), MAIN).results[0].url == "/docs/battery"
    assert service.related("/docs/battery", MAIN, 2).results
    with pytest.raises(PageMissing) as refused:
        service.page("/docs/batery", MAIN)
    assert "/docs/battery" not in str(refused.value)  # suggestions are told apart from the words
    assert refused.value.suggestions


def test_health_tells_strangers_of_public_scopes_alone(service: SearchService) -> None:
    assert [scope.scope for scope in service.health(trusted=False).scopes] == ["main"]
    everything = service.health(trusted=True)
    assert [scope.scope for scope in everything.scopes] == ["main", "secret-branch"]
    assert (service.health(trusted=False).backend, everything.backend is None) == (None, False)


def test_records_of_public_scopes_are_read_ahead(service: SearchService) -> None:
    service.read_ahead()
    readers = [service.store.open_reader(Scope("site", name)) for name in ("main", "secret-branch")]
    assert readers[0] is not None
    assert readers[1] is None
    assert in_memory(readers[0]) == readers[0].generation.records
    assert builtin._lexicon.cache_info().currsize


def test_of_many_scopes_the_first_are_read_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = project_in(tmp_path, '[api]\nscopes = ["main", "larger", "last"]\n')
    site = Site(LocalStore(project.state_dir / "index", project.id))
    site.publish(DOCS[:2])
    site.publish(DOCS, Scope("site", "larger"))
    site.publish(DOCS[:1], Scope("site", "last"))
    service = open_service(project, {})
    scopes = [Scope("site", name) for name in ("main", "larger", "last")]
    first, larger, last = (service.store.reader(scope) for scope in scopes)
    monkeypatch.setattr(service_module, "_RECORDS_AHEAD", first.generation.records + last.generation.records)
    service.read_ahead()
    assert [in_memory(reader) for reader in (first, larger, last)] == [
        first.generation.records,
        0,
        last.generation.records,
    ]


def in_memory(reader: IndexReader) -> int:
    assert isinstance(reader, LocalReader)
    return len(reader.catalogue._records._cache.values)


def test_damage_that_is_met_ahead_is_reported_and_nothing_else(
    service: SearchService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    errors: list[BaseException] = []
    nothing = open_service(project_in(tmp_path / "empty"), {}, on_error=errors.append)
    nothing.read_ahead()
    assert errors == []

    def damaged(*_: object) -> None:
        raise IndexCorrupt("records.db is damaged")

    monkeypatch.setattr(LocalCatalogue, "read_ahead", damaged)
    replace(service, on_error=errors.append).read_ahead()
    assert [type(error) for error in errors] == [IndexCorrupt]


def test_opening_it_opens_no_index(tmp_path: Path) -> None:
    assert not open_service(project_in(tmp_path), {}).health(trusted=False).ready
    assert not (tmp_path / ".searchsocket").exists()


def scopes_of(root: Path, *listed: str, environ: dict[str, str] | None = None) -> ReadableScopes:
    names = ", ".join(f'"{name}"' for name in listed)
    return ReadableScopes(project_in(root, f"[api]\nscopes = [{names}]\n" if listed else ""), environ or {})


def test_the_resolved_scope_is_public_where_none_is_listed(tmp_path: Path) -> None:
    assert scopes_of(tmp_path).public == ("main",)


def test_the_default_is_the_resolved_scope_where_it_is_listed(tmp_path: Path) -> None:
    """Else a branch that nobody listed would be open to anyone."""
    assert scopes_of(tmp_path, "docs", "main").public == ("main", "docs")
    assert scopes_of(tmp_path, "docs", "next").public == ("docs", "next")


def test_trusted_callers_read_every_scope(tmp_path: Path) -> None:
    scopes = scopes_of(tmp_path)
    assert scopes.find("feature/new", trusted=True).name.startswith("feature-new")
    for name in ("feature/new", "other"):
        with pytest.raises(ScopeRefused):
            scopes.find(name, trusted=False)
    with pytest.raises(InvalidScope):
        scopes.find("", trusted=True)
