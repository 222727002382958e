"""That nothing changed since a run is known without one; and whatever changed, a run is made."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from small_site import write_page, write_site

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.unchanged.inputs import inputs_of, keep_record
from searchsocket.pipeline.unchanged.record import (
    RunRecord,
    drop_records,
    last_checked,
    read_record,
    record_path,
    unchanged_since,
)
from searchsocket.pipeline.unchanged.snapshot import TICK_NS, Paths, Snapshot, file_clock_ns
from searchsocket.project.project import open_project
from searchsocket.stores.local.store import LocalStore

ENVIRON = {"HOME": "/nowhere", "TERM": "dumb", "SEARCHSOCKET_CACHE": ".searchsocket"}
WHEN = "2026-01-01T00:00:00Z"
DAY_NS = 86_400 * 10**9


def index(root: Path, options: RunOptions | None = None, environ: dict[str, str] | None = None) -> ScopeRun:
    """A run as the command makes one, without Dagster."""
    environ = ENVIRON if environ is None else environ
    project = open_project(root, environ)
    run = ScopeRun(project, project.scope(environ), "run-1", options or RunOptions(), environ=environ)
    project.state_dir.mkdir(exist_ok=True)
    inputs = inputs_of(run, time.time_ns())
    summary = index_scope(run)
    if inputs:
        keep_record(run, inputs, summary, None, time.time_ns())
    return run


def check(root: Path, environ: dict[str, str] | None = None, now_ns: int | None = None) -> RunRecord | None:
    environ = ENVIRON if environ is None else environ
    return unchanged_since(str(root), None, environ, now_ns=now_ns or time.time_ns(), checked_at=WHEN)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_site(tmp_path_factory.mktemp("unchanged") / "harbour")
    index(root)
    return root


@pytest.fixture
def indexed(once: Path, tmp_path: Path) -> Path:
    """A project of its own, whose record is of itself."""
    root = shutil.copytree(once, tmp_path / "harbour")
    for _ in range(3):  # whatever else touches the disk of a busy machine may cost a run, never a change
        index(root)
        if check(root):
            break
    return root


def test_a_fresh_index_of_a_fresh_build_is_unchanged(indexed: Path) -> None:
    """Also when all files are so young that their times say nothing yet: their bytes do."""
    outcome = check(indexed)
    assert outcome is not None
    assert (outcome.run_id, outcome.scope, outcome.summary["records"]) == (
        "run-1",
        "main",
        {"upserted": 0, "deleted": 0},
    )
    assert last_checked(str(indexed / ".searchsocket"), "main", str(outcome.summary["generation"])) == WHEN
    assert check(indexed) is not None
    assert check(indexed, ENVIRON | {"TERM": "xterm", "PWD": "/"}) is not None


def damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    times = path.stat()
    (path.parent / "new").write_bytes(data)
    os.utime(path.parent / "new", ns=(times.st_atime_ns, times.st_mtime_ns))
    (path.parent / "new").replace(path)


def generation(root: Path) -> Path:
    (folder,) = [path for path in (root / ".searchsocket" / "index" / "main").iterdir() if path.is_dir()]
    return folder


def rolled_back(root: Path) -> None:
    write_page(root, "about", "About", "Written by somebody else.")
    run = index(root)
    LocalStore(root / ".searchsocket" / "index", "harbour").rollback(run.scope)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a page edited": lambda root: write_page(root, "about", "About", "Written by people who like cats!"),
    "a page edited, its times kept": lambda root: damaged(root / "build/about/index.html"),
    "a page touched": lambda root: (root / "build/about/index.html").touch(),
    "a new page": lambda root: write_page(root, "new", "New", "Something new."),
    "a page gone": lambda root: (root / "build/about/index.html").unlink(),
    "a page that may not be read": lambda root: (root / "build/about/index.html").chmod(0o000),
    "another build folder": lambda root: shutil.copytree(root / "build", root / "dist"),
    "a new route": lambda root: (root / "src/routes/about/+page.md").write_text("# About"),
    "settings": lambda root: (root / "searchsocket.toml").write_text("[chunking]\nmax_chars = 700\n"),
    "a generator": lambda root: (root / "mkdocs.yml").write_text("site_name: a\n"),
    "another project id": lambda root: (root / "package.json").write_text('{"name": "harbor"}'),
    "the mirror": lambda root: (root / ".searchsocket/pages/main/about.md").write_text("gone"),
    "the index": lambda root: damaged(next(generation(root).glob("packs/*.f32"))),
    "the index is gone": lambda root: shutil.rmtree(root / ".searchsocket/index"),
    "the state": lambda root: damaged(root / ".searchsocket/state.db"),
    "a rollback": rolled_back,
    "the record itself": lambda root: damaged(Path(record_path(str(root / ".searchsocket"), None))),
    "a failed run": lambda root: _failed(root),
}


def _failed(root: Path) -> None:
    """Steps before a failure are not recorded."""
    settings = root / "searchsocket.toml"
    settings.write_text("[routes]\nstrict = true\n[source]\nexclude = ['/docs/ropes']\n")
    (root / "src/routes/about/+page.svelte").rename(root / "kept")
    with pytest.raises(Exception, match="route"):
        index(root)
    (root / "kept").rename(root / "src/routes/about/+page.svelte")
    settings.unlink()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_needs_a_run(indexed: Path, change: Callable[[Path], object]) -> None:
    assert check(indexed) is not None
    change(indexed)
    assert check(indexed) is None


@pytest.mark.parametrize("name", ["SEARCHSOCKET__CHUNKING__MAX_CHARS", "HTTPS_PROXY", "PATH", "HOME", "OPENAI_API_KEY"])
def test_another_environment_needs_a_run(indexed: Path, name: str) -> None:
    assert check(indexed, ENVIRON | {name: "900"}) is None


def test_a_lost_cache_needs_a_run_and_one_that_grew_does_not(indexed: Path) -> None:
    outcome = check(indexed)
    assert outcome is not None
    cache = Path(outcome.cache[0])
    with cache.open("ab") as file:
        file.write(b"more")
    assert check(indexed) is not None
    os.truncate(cache, 10)
    assert check(indexed) is None


def test_a_copy_of_the_project_is_another_one(indexed: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(indexed, tmp_path / "copy")
    assert check(copy) is None


@pytest.mark.parametrize("options", [RunOptions(max_pages=100), RunOptions(force=True), RunOptions(max_chunks=1000)])
def test_a_run_with_options_leaves_no_record(once: Path, tmp_path: Path, options: RunOptions) -> None:
    root = shutil.copytree(once, tmp_path / "harbour")
    index(root, options)
    assert check(root) is None


@pytest.mark.parametrize(
    "settings",
    [
        '[source]\nmode = "content-files"\n',
        "[artifacts]\nurl = 'file:///tmp/none'\n",
        "[routes]\ndir = '.'\n",
        "[code]\nenable = true\n",
    ],
)
def test_unwatched_inputs_make_no_claim_about_files(once: Path, tmp_path: Path, settings: str) -> None:
    root = shutil.copytree(once, tmp_path / "harbour")
    (root / "searchsocket.toml").write_text(settings)
    project = open_project(root, ENVIRON)
    assert inputs_of(ScopeRun(project, project.scope(ENVIRON), "run", environ=ENVIRON), time.time_ns()) is None


def test_a_page_that_failed_is_looked_at_again(once: Path, tmp_path: Path) -> None:
    root = shutil.copytree(once, tmp_path / "harbour")
    (root / "searchsocket.toml").write_text("[source]\nmax_page_bytes = 1000\n")
    write_page(root, "about", "About", "Too much to say. " * 100)
    index(root)
    assert check(root) is None


def test_nothing_that_a_run_needs_is_loaded(indexed: Path) -> None:
    """Bar: 0.15 s of CPU, of which half is Python with click."""
    program_text = (
        "import sys, searchsocket.pipeline.unchanged.record, searchsocket.cli.index; "
        "print(sorted({'dagster', 'pydantic', 'numpy', 'sqlite3', 'lxml', 'filelock'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program_text], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


class Folder:
    """A folder that a random hand changes: often to bytes of the same size, with times as they were."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.random = random.Random(11)
        root.mkdir()
        for name in "abcdefgh":
            (root / name).write_bytes(self._bytes())

    def _bytes(self) -> bytes:
        return bytes([self.random.randrange(4)]) * 4

    def contents(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.root.iterdir()}

    def change(self) -> None:
        """One edit, touch, restore, swap, removal, or none at all."""
        path = self.root / self.random.choice("abcdefgh")
        kind = self.random.randrange(8)
        if not path.exists():
            path.write_bytes(self._bytes())
            return
        times = path.stat()
        keeping = {"ns": (times.st_atime_ns, times.st_mtime_ns)}
        if kind == 0:
            path.unlink()
        elif kind == 1:
            path.touch()
        elif kind == 2:
            path.write_bytes(self._bytes())
        elif kind == 3:  # in place, its times kept
            path.write_bytes(self._bytes())
            os.utime(path, **keeping)
        elif kind == 4:  # a copy of itself, or of another, with all its times
            shutil.copy2(self.root / self.random.choice([*self.contents()]), self.root / "new")
            (self.root / "new").replace(path)
        elif kind == 5:  # restored as it was, times and all
            data = path.read_bytes()
            path.write_bytes(self._bytes())
            path.write_bytes(data)
            os.utime(path, **keeping)
        elif kind == 6:
            path.chmod(self.random.choice([0o600, 0o644]))


def test_no_change_is_missed_whatever_the_clock_says(tmp_path: Path) -> None:
    """500 random edits, touches and restores, each within one tick of the last; the clock jumps by days."""
    folder = Folder(tmp_path / "watched")
    watched, contents, decided = Snapshot.at(Paths((str(folder.root),)), time.time_ns()), folder.contents(), 0
    for _ in range(500):
        folder.change()
        jump = folder.random.choice([0, 0, -DAY_NS, DAY_NS, -TICK_NS, TICK_NS])
        now_ns = file_clock_ns(str(tmp_path), time.time_ns() + jump)
        still = watched.renewed(now_ns)
        if folder.contents() != contents:
            assert still is None
        decided += still is not None
        watched, contents = still or Snapshot.at(watched.paths, now_ns), folder.contents()
    assert decided > 50  # else nothing would ever be decided


def test_records_are_dropped_by_scope(indexed: Path) -> None:
    """Records are dropped at the start of a run, and when the scope is cleaned."""
    drop_records(str(indexed / ".searchsocket"), "other")
    assert check(indexed) is not None
    drop_records(str(indexed / ".searchsocket"), "main")
    assert check(indexed) is None


def test_a_record_of_another_version_is_none(indexed: Path) -> None:
    path = Path(record_path(str(indexed / ".searchsocket"), None))
    assert read_record(str(path)) is not None
    data = json.loads(path.read_bytes().partition(b"\n")[2])
    path.write_bytes(json.dumps(data).encode())
    assert read_record(str(path)) is None
    outcome = check(indexed)
    assert outcome is None


def test_a_replaced_record_is_equal(indexed: Path) -> None:
    path = record_path(str(indexed / ".searchsocket"), None)
    first = check(indexed)
    assert first is not None
    assert read_record(path) == first == replace(first, checked_at=WHEN)
