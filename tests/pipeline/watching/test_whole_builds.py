"""A build is indexed when it is whole, wherever its builder pauses and however long (pitfall of every watcher)."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import Pages, build_in_place, build_kit, empty_slowly, prerender

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.unchanged.snapshot import bytes_of
from searchsocket.pipeline.watching.watcher import IndexScheduler, Step, scan_site, targets_of
from searchsocket.pipeline.watching.whole import BUILDER_SILENCE_S, SILENCE_S, Wholeness
from searchsocket.project.project import open_project

SETTLE_S = 2.0
Build = Callable[[Path, Pages], Iterator[None]]


def pages(edition: int, *names: str) -> Pages:
    text = "<title>{0}</title><main><h1>{0}</h1><p>edition {1}</p></main>"
    return {f"{name}.html": text.format(name, edition) for name in ("index", "about", *names)}


FIRST = pages(1, "docs/install", "docs/tides", "docs/ropes")
# One page is another, one came, one went.
SECOND = {**pages(1, "docs/ropes", "docs/boats"), **pages(2, "docs/install")}


class Viewer:
    """Looks after each step of a builder that then pauses so long, and keeps what would have been indexed."""

    def __init__(self, root: Path, pause_s: float, live_pages: int = 0) -> None:
        self.root, self.pause_s = root, pause_s
        self.scheduler = IndexScheduler(Wholeness(SETTLE_S, live_pages), root)
        self.indexed: list[Pages] = []

    def look(self, pause_s: float | None = None) -> Step:
        project = open_project(self.root, {})
        run = ScopeRun(project, project.scope({}), "")
        targets = targets_of(run)
        look = scan_site(run, targets, bytes_of(targets.settings))
        now_ns = (look.changed_ns or time.time_ns()) + int((self.pause_s if pause_s is None else pause_s) * 1e9)
        step = self.scheduler.step(look, targets.build, now_ns)
        if step is Step.INDEX:
            folder = Path(targets.build)
            files = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.html")}
            self.indexed += [files] if files not in self.indexed[-1:] else []
            self.scheduler.wholeness.remember()
        return step

    def watch(self, steps: Iterator[None]) -> list[Pages]:
        for _ in steps:
            self.look()
        return self.indexed


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "package.json").write_text('{"name": "harbour"}')
    return tmp_path


@pytest.mark.parametrize("build", [build_kit, prerender])
def test_sveltekit_files_beside_the_build_show_when_it_is_complete(root: Path, build: Build) -> None:
    """Also the first build, of which nobody knows what it should hold; with pauses of minutes anywhere."""
    viewer = Viewer(root, BUILDER_SILENCE_S - 1)
    assert viewer.watch(build(root, FIRST)) == [FIRST]
    assert viewer.watch(build(root, SECOND)) == [FIRST, SECOND]


def test_a_build_without_pages_that_were_there_waits_for_them(root: Path) -> None:
    """A builder that leaves no marker gives no other sign; a deleted page is removed a little later."""
    viewer = Viewer(root, SILENCE_S - 1)
    for _ in build_in_place(root, FIRST):
        pass
    viewer.look()
    assert viewer.indexed == [FIRST]
    longer = {**FIRST, "docs/boats.html": FIRST["about.html"]}
    assert viewer.watch(build_in_place(root, longer))[-1] == longer
    assert all(FIRST.keys() <= result.keys() and "" not in result.values() for result in viewer.indexed)
    for _ in build_in_place(root, SECOND):
        viewer.look()
    assert (viewer.look(), viewer.scheduler.wait and viewer.scheduler.wait.example) == (Step.WAIT, "docs/tides.html")
    assert viewer.look(SILENCE_S + 1) is Step.INDEX
    assert viewer.indexed[-1] == SECOND


def test_a_build_of_fewer_pages_than_are_live_waits_when_the_watch_begins(root: Path) -> None:
    viewer = Viewer(root, SILENCE_S - 1, live_pages=len(FIRST))
    assert viewer.watch(build_in_place(root, FIRST))[0].keys() == FIRST.keys()


def test_a_build_that_was_made_by_another_tool_is_not_held_up(root: Path) -> None:
    """Markers of an older build of the framework delay the index for a limited time only."""
    for _ in prerender(root, FIRST):
        pass
    viewer = Viewer(root, BUILDER_SILENCE_S + 1)
    other = pages(3, "guide")
    for _ in build_in_place(root, other):
        pass
    assert viewer.look(SETTLE_S) is Step.WAIT
    assert viewer.look() is Step.INDEX
    assert not viewer.scheduler.wholeness.heeds_builder
    again = {**other, "index.html": "<title>index</title><p>edition 4</p>"}
    for _ in build_in_place(root, again):
        pass
    assert viewer.look(SETTLE_S) is Step.INDEX
    assert viewer.indexed == [other, again]


def test_a_build_is_not_due_before_its_deadline(root: Path) -> None:
    """Pending builds are checked at each change and at their deadline."""
    viewer = Viewer(root, 0)
    for _ in build_in_place(root, FIRST):
        pass
    assert viewer.look() is Step.WAIT
    due_ns = viewer.scheduler.due_ns or 0
    assert (viewer.scheduler.is_due(due_ns - 1), viewer.scheduler.is_due(due_ns)) == (False, True)
    assert viewer.look(SETTLE_S) is Step.INDEX
    assert viewer.look(SETTLE_S) is Step.NOTHING
    assert not viewer.scheduler.is_due(due_ns)


def test_a_build_that_is_emptied_is_not_replaced_by_what_else_could_be_indexed(root: Path) -> None:
    """Without a build, Markdown is indexed, or another folder: what a builder empties comes back."""
    (root / "README.md").write_text("# Harbour\n\nA guide.\n")
    old = root / "docs" / "old.md"
    old.parent.mkdir()
    old.write_text("# Old\n\nA guide.\n")
    viewer = Viewer(root, 0)
    for _ in build_in_place(root, FIRST):
        pass
    assert viewer.look(SETTLE_S) is Step.INDEX
    for _ in empty_slowly(root / "build"):
        pass
    assert viewer.look(9_999) is Step.WAIT  # which says when the Markdown was written
    assert viewer.look(9_999 + SILENCE_S) is Step.INDEX
