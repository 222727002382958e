"""A page is that of the live generation: whatever the mirror folder holds, and whatever a run is doing (spec 14.1)."""

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from api_client import ENVIRON, Api
from older_index import make_older
from small_site import write_page, write_site

from search_api.app import create_app
from searchsocket.errors import BudgetExceeded, LargeDeletion
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.project import Project, open_project
from searchsocket.stores import make_store

CONFIG = '[embeddings]\nprovider = "hash"\nprice_per_million_tokens_usd = 1000.0\n[api.rateLimit]\nmax = 0\n'
OLD, NEW = "Run the installer and wait for the green lamp.", "This must not be seen yet."
_numbers = count()


class Served:
    """A site on disk, and the application that serves its index."""

    def __init__(self, root: Path) -> None:
        self.root = write_site(root)
        (root / "searchsocket.toml").write_text(CONFIG)
        self.api = Api(create_app(self.project, environ=ENVIRON, host="0.0.0.0"))

    @property
    def project(self) -> Project:
        return open_project(self.root, {"SEARCHSOCKET_SCOPE": "main"})

    def run(self, options: RunOptions = RunOptions(), on_event: Callable[[Event], None] = lambda _: None) -> ScopeRun:  # noqa: B008
        project = self.project
        return ScopeRun(project, project.scope_named("main"), f"run-{next(_numbers)}", options, on_event)

    def index(self, **options: object) -> IndexSummary:
        return index_scope(self.run(RunOptions(**options)))  # type: ignore[arg-type]

    def edit(self, text: str = NEW) -> None:
        write_page(self.root, "docs/install", "Install", text)

    def page(self, path: str = "docs/install") -> str:
        """The text of a page with its front matter."""
        answer = self.api.get(f"/api/pages/{path}.md")
        assert answer.status_code == 200, answer.text
        return answer.text

    def generation(self) -> str:
        return str(self.api.get("/api/pages/docs/install").json()["generation"])


@pytest.fixture
def served(tmp_path: Path) -> Served:
    site = Served(tmp_path / "site")
    site.index()
    assert OLD in site.page()
    return site


def test_pages_of_an_unpublished_run_are_not_served(served: Served) -> None:
    """A run is under way, or died before it published: the mirror is ahead of the index."""
    served.edit()
    run = served.run()
    for name in ("site_pages", "page_mirror", "page_chunks", "chunk_embeddings"):
        STAGES[name](run)
        assert OLD in served.page()
        assert NEW not in served.page()
    assert NEW in (served.project.mirror_dir / "main/docs/install.md").read_text()
    STAGES["search_index"](run)
    assert NEW in served.page()


def test_a_run_that_dies_before_it_publishes_changes_no_page(served: Served) -> None:
    class Killed(BaseException):
        pass

    def die(event: Event) -> None:
        if event.name == "progress" and event.fields["stage"] == "search_index":
            raise Killed

    served.edit()
    with pytest.raises(Killed):
        index_scope(served.run(on_event=die))
    assert OLD in served.page()
    served.index()
    assert NEW in served.page()


def test_a_run_that_its_budget_stops_changes_no_page(served: Served) -> None:
    served.edit()
    with pytest.raises(BudgetExceeded):
        served.index(max_cost_usd=0.0000001)
    assert OLD in served.page()


def test_a_run_that_would_delete_too_much_takes_no_page_away(served: Served) -> None:
    for url in ("docs/install", "docs/tides", "docs/ropes", "about"):
        path = served.root / "build" / url / "index.html"
        path.write_text(path.read_text().replace("<head>", "<head><meta name=robots content=noindex>"))
    with pytest.raises(LargeDeletion):
        served.index()
    assert not (served.project.mirror_dir / "main/docs/install.md").exists()
    assert OLD in served.page()
    served.index(accept_large_deletion=True)
    assert served.api.get("/api/pages/docs/install").status_code == 404


def test_a_rollback_takes_the_text_back(served: Served) -> None:
    """It is what one does after publishing something by mistake."""
    first = served.generation()
    served.edit()
    served.index()
    assert NEW in served.page()
    project = served.project
    make_store(project.settings.vector, project.state_dir, project.id).rollback(project.scope_named("main"))
    assert served.generation() == first
    assert NEW not in served.page()
    assert OLD in served.page()
    served.index()
    assert NEW in served.page()


def test_the_mirror_folder_is_for_people(served: Served) -> None:
    """It may be edited, damaged, linked elsewhere or deleted: no page is read from it."""
    before = served.page()
    path = served.project.mirror_dir / "main/docs/install.md"
    secret = served.root / "secret.txt"
    secret.write_text("---\ntop secret")
    path.unlink()
    path.symlink_to(secret)
    assert served.page() == before
    shutil.rmtree(served.project.mirror_dir)
    assert served.page() == before


def test_facts_from_front_matter_are_published(served: Served) -> None:
    """The day of publication is in no record."""
    first = served.generation()
    path = served.root / "build/docs/install/index.html"
    path.write_text(
        path.read_text().replace("<head>", "<head><meta property=article:published_time content=2026-02-03>")
    )
    summary = served.index()
    assert summary.embeddings["created"] == 0
    assert 'published: "2026-02-03"' in served.page()
    assert served.generation() != first


def test_a_run_without_changes_stays_one(served: Served) -> None:
    """The text of a page keeps the time at which it changed, also where all of it is made again."""
    before, first = served.page(), served.generation()
    for prepare in (lambda: None, lambda: shutil.rmtree(served.project.mirror_dir)):
        prepare()
        served.index()
        assert (served.page(), served.generation()) == (before, first)
    for path in served.project.state_dir.glob("state.db*"):
        path.unlink()
    served.index()
    assert (served.page(), served.generation()) == (before, first)


def test_an_index_of_an_older_version_says_so_until_the_next_run(served: Served) -> None:
    """The run detects it although no page, chunk or record changed, rebuilds the index, and embeds nothing."""
    make_older(served.project.state_dir / "index")
    served = Served(served.root)
    answer = served.api.get("/api/pages/docs/install")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "INDEX_FORMAT")
    summary = served.index()
    assert any("older release" in warning for warning in summary.warnings)
    assert summary.embeddings["created"] == 0
    assert served.api.post({"q": "installer"}).json()["results"][0]["url"] == "/docs/install"
    assert OLD in served.page()


def test_a_damaged_mirror_file_is_not_published(served: Served) -> None:
    """The page_mirror stage repairs what changed on the disk; what changes after it stops the run."""
    served.edit()
    run = served.run()
    for name in ("site_pages", "page_mirror", "page_chunks", "chunk_embeddings"):
        STAGES[name](run)
    path = served.project.mirror_dir / "main/docs/install.md"
    path.write_text(path.read_text().replace("seen", "SEEN"))
    with pytest.raises(Exception, match=r"install\.md is damaged; run `searchsocket index`"):
        STAGES["search_index"](run)
    assert OLD in served.page()
    served.index()
    assert NEW in served.page()
