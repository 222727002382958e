"""Changes are detected, and read once they are complete (pitfalls of every watcher)."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_site import write_site

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.unchanged.snapshot import bytes_of
from searchsocket.pipeline.watching.watcher import SiteState, Watcher, scan_site, targets_of
from searchsocket.project.project import open_project
from tests.sources.git_repository import commit, git

LONG_S = 60.0  # for what comes at once


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_site(tmp_path / "harbour")


@pytest.fixture
def watcher(root: Path) -> Iterator[Watcher]:
    watcher = Watcher(root / ".searchsocket")
    yield watcher
    watcher.close()


def run_of(root: Path) -> ScopeRun:
    project = open_project(root, {})
    return ScopeRun(project, project.scope({}), "")


def cover(watcher: Watcher, root: Path) -> SiteState:
    run = run_of(root)
    targets = targets_of(run)
    watcher.cover((*targets.files, *targets.settings), targets.folders)
    return scan_site(run, targets, bytes_of(targets.settings))


def test_a_record_that_is_written_is_heard(root: Path, watcher: Watcher) -> None:
    (root / "records").mkdir()
    (root / "searchsocket.toml").write_text(
        '[project]\nid = "harbour"\n[source]\nmode = "records"\n[source.records]\nfiles = ["records/*.jsonl"]\n'
    )
    cover(watcher, root)
    watcher.wait(0)
    (root / "records" / "boats.jsonl").write_text('{"url": "/boats", "markdown": "Whaling boats."}\n')
    assert watcher.wait(LONG_S)


def test_a_route_that_appears_is_heard_and_is_new(root: Path, watcher: Watcher) -> None:
    before = cover(watcher, root)
    watcher.wait(0)  # that it was attached
    route = root / "src/routes/boats/+page.svelte"
    route.parent.mkdir(parents=True)
    route.write_text("<h1>Boats</h1>")
    assert watcher.wait(LONG_S)
    assert cover(watcher, root).digest != before.digest


def test_changes_after_the_start_are_detected(root: Path, watcher: Watcher) -> None:
    """The first index may take minutes: what is edited meanwhile must not wait for another edit."""
    cover(watcher, root)
    watcher.wait(0)
    (root / "build/about.html").write_text("<title>About</title><p>edited</p>")
    assert watcher.wait(LONG_S)


def test_a_build_folder_that_is_made_anew_is_still_watched(root: Path, watcher: Watcher) -> None:
    """Builders empty and delete it; the system's watch goes with the folder."""
    first = cover(watcher, root)
    watcher.wait(0)
    shutil.rmtree(root / "build")
    assert watcher.wait(LONG_S)
    assert cover(watcher, root).digest == "", "nothing is indexed while there is no build"
    write_site(root)
    while (result := cover(watcher, root)).digest in ("", first.digest):
        assert watcher.wait(LONG_S)
    watcher.wait(0)
    (root / "build/new.html").write_text("<title>New</title><p>new</p>")
    while cover(watcher, root).digest == result.digest:
        assert watcher.wait(LONG_S)


def test_the_state_folder_is_not_heard(root: Path, watcher: Watcher) -> None:
    before = cover(watcher, root)
    (root / ".searchsocket/index").mkdir(parents=True)
    assert cover(watcher, root) == before


def test_branches_are_watched_by_their_refs(root: Path, watcher: Watcher) -> None:
    (root / "searchsocket.toml").write_text('[source]\nmode = "git-branch"\n')
    git(root, "init", "-q", "-b", "main")
    commit(root, {"docs/a.md": "# A\n"})
    before = cover(watcher, root)
    watcher.wait(0)
    commit(root, {"docs/b.md": "# B\n"})
    while cover(watcher, root).digest == before.digest:
        assert watcher.wait(LONG_S)


def test_content_files_are_watched_by_their_globs(root: Path) -> None:
    (root / "searchsocket.toml").write_text(
        '[source]\nmode = "content-files"\n[source.content_files]\nglobs = ["docs/**/*.md", "notes/*.md"]\n'
    )
    folders = {Path(folder).name for folder in targets_of(run_of(root)).folders}
    assert {"docs", "notes"} <= folders


def test_a_crawled_site_is_new_where_its_configuration_is(root: Path, watcher: Watcher) -> None:
    settings = root / "searchsocket.toml"
    settings.write_text('[source]\nmode = "crawl"\n[source.crawl]\nbase_url = "http://127.0.0.1:9"\n')
    before = cover(watcher, root)
    assert before.digest
    assert cover(watcher, root).digest == before.digest
    settings.write_text(settings.read_text() + "max_pages = 5\n")
    assert cover(watcher, root).digest != before.digest
