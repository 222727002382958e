"""A small site on disk, and runs over it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from searchsocket.events import OnEvent, ignore
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.project import Project, open_project
from searchsocket.stores import make_store
from searchsocket.types import Record

PAGES = {
    "index.html": (
        "Home",
        "<p>Welcome to the fjord museum. Read the <a href='/docs/install'>installation guide</a>.</p>",
    ),
    "docs/install.html": ("Install", "<h2 id='linux'>Linux</h2><p>Use the package manager of your system.</p>"),
    "docs/usage.html": ("Usage", "<p>Start with <a href='install'>installing</a>, then read on.</p>"),
    "docs/faq.html": ("FAQ", "<p>Questions about opening hours and tickets are answered here.</p>"),
    "blog/first.html": ("First post", "<p>The museum opens in spring with an exhibition of whaling boats.</p>"),
    "blog/second.html": ("Second post", "<p>Volunteers restored the lighthouse lantern this winter.</p>"),
}


class Site:
    """A built site in `root/build`, with its project; each run has its own id and a later clock."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runs = 0
        for file, (title, body) in PAGES.items():
            self.write(file, title, body)

    def write(self, file: str, title: str, body: str) -> None:
        path = self.root / "build" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"<!doctype html><html lang=en><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav>"
            f"<main><h1>{title}</h1>{body}</main></body></html>",
            encoding="utf-8",
        )

    def delete(self, file: str) -> None:
        (self.root / "build" / file).unlink()

    @property
    def project(self) -> Project:
        return open_project(self.root, {})

    def run(self, scope: str = "main", options: RunOptions | None = None, on_event: OnEvent = ignore) -> ScopeRun:
        self.runs += 1
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=self.runs)
        project = self.project
        return ScopeRun(
            project,
            project.scope_named(scope),
            f"run-{self.runs}",
            options or RunOptions(),
            on_event,
            lambda: moment,
            {"SOURCE_DATE_EPOCH": str(int(moment.timestamp()))},
        )

    def index(self, scope: str = "main", **options: object) -> IndexSummary:
        return index_scope(self.run(scope, RunOptions(**options)))  # type: ignore[arg-type]

    def records(self, scope: str = "main") -> list[Record]:
        project = self.project
        store = make_store(project.settings.vector, project.state_dir, project.id)
        ids = [record_id for record_id, _ in store.fingerprints(project.scope_named(scope))]
        return store.reader(project.scope_named(scope)).catalogue.records(ids)

    def urls(self, scope: str = "main") -> set[str]:
        return {record.page.url for record in self.records(scope)}

    def mirror(self, scope: str = "main") -> dict[str, str]:
        folder = self.project.mirror_dir / scope
        return {
            str(path.relative_to(folder)): path.read_text(encoding="utf-8")
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def make_site(tmp_path: Path) -> Callable[[], Site]:
    return lambda: Site(tmp_path / "site")


@pytest.fixture
def site(make_site: Callable[[], Site]) -> Site:
    return make_site()
