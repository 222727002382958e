"""Disks that are full or may not be written: an error that names the place, and the index as it was (spec 26.1)."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from fastapi.testclient import TestClient
from fault_site import QUESTIONS, Project

from search_api.app import create_app
from searchsocket.errors import StateUnavailable
from searchsocket.project.project import open_project
from searchsocket.state.file import open_state
from searchsocket.state.project import ProjectState, forget_in_steps

COMMAND = Path(sys.executable).with_name("searchsocket")
LIMITED = """
import resource, signal, sys
sys.path[:0] = sys.argv[1:3]
from pathlib import Path
from fault_site import Project
from searchsocket.errors import StateUnavailable
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit is then an error, like on a full disk
import searchsocket.stores.local.store, searchsocket.content.html.extract
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]), int(sys.argv[4])))
try:
    Project(Path(sys.argv[3])).index()
except StateUnavailable as error:
    print(error)
"""


def edit(project: Project) -> None:
    page = project.root / "build/docs/ropes/index.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("slipping", "slipping, and a hitch is quick"), encoding="utf-8")


@pytest.mark.parametrize(
    "limit", [100, *(pytest.param(size, marks=pytest.mark.long) for size in (3_000, 40_000)), 20_000]
)
def test_files_that_cannot_grow_are_an_error_and_the_index_stays(project: Project, limit: int) -> None:
    """Wherever the disk ends: in a mirror file, in the state, in the records or in the vectors."""
    expected = project.fingerprints()
    edit(project)
    here = Path(__file__).parent
    result = subprocess.run(
        [sys.executable, "-c", LIMITED, str(here), str(here.parent), str(project.root), str(limit)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(project.state) in result.stdout
    assert project.fingerprints() == expected
    assert project.answers() == QUESTIONS
    project.index()
    assert project.damage() == []
    assert project.fingerprints() != expected
    assert [path for path in project.state.rglob(".*") if path.name.startswith((".tmp", ".building", ".staging"))] == []


def test_a_page_that_may_not_be_read_costs_only_itself(project: Project) -> None:
    """It ended the run with exit status 3, although the old index knew what it says."""
    expected = project.fingerprints()
    (project.root / "build/docs/ropes/index.html").chmod(0)
    # For root, modes count only without its capabilities.
    plain = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"] if os.geteuid() == 0 else []
    if plain and shutil.which("setpriv") is None:
        pytest.skip("there is no setpriv, and for root every file can be read")
    command = [*plain, str(Path(sys.executable).with_name("searchsocket")), "index", "--json", "--project"]
    result = subprocess.run([*command, str(project.root)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["pages"]["failed"], summary["deletionEligible"]) == (1, False)
    assert any("docs/ropes/index.html" in warning for warning in summary["warnings"])
    assert project.fingerprints() == expected


@pytest.fixture
def small_disk(project: Project) -> Iterator[Project]:
    """The project's state on a file system of its own, with little room left."""
    moved_state = project.state.rename(project.root / "kept")
    project.state.mkdir()
    used = sum(path.stat().st_size + 4096 for path in moved_state.rglob("*"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={used + 60_000}", "tmpfs", str(project.state)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small file system")
    shutil.copytree(moved_state, project.state, dirs_exist_ok=True)
    yield project
    subprocess.run(["umount", "-l", str(project.state)], check=True)


def test_a_full_disk_is_an_error_and_the_index_stays(small_disk: Project) -> None:
    """A run that finds no room says so; with room again the next one completes."""
    filler = small_disk.state / "filler"
    room = os.statvfs(small_disk.state)
    filler.write_bytes(bytes(max(room.f_bavail * room.f_frsize - 8192, 0)))
    expected = small_disk.fingerprints()
    edit(small_disk)
    with pytest.raises(StateUnavailable, match=str(small_disk.state)):
        small_disk.index()
    result = small_disk.command("index")
    assert "STATE_UNAVAILABLE" in result.output, result.exception
    assert small_disk.fingerprints() == expected
    assert small_disk.answers() == QUESTIONS
    filler.unlink()
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk.state)], check=True)
    small_disk.index()
    assert small_disk.fingerprints() != expected
    assert small_disk.damage() == []


@pytest.fixture
def full_disk(small_disk: Project) -> Project:
    """Two scopes, each with a generation to go back to, and not one byte of room."""
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk.state)], check=True)
    # A scope shares nearly all its files but the mirror, so of a few small pages too little room becomes free.
    long_page = small_disk.root / "build/docs/long/index.html"
    long_page.parent.mkdir()
    long_page.write_text(
        f"<html><body><main><h1>Moorings</h1><p>{'Buoys of all sizes. ' * 3_000}</p></main></body></html>"
    )
    small_disk.index("preview")
    edit(small_disk)
    small_disk.index()
    with open(small_disk.state / "filler", "wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while file.write(bytes(size)):
                    pass
    assert shutil.disk_usage(small_disk.state).free == 0
    return small_disk


@pytest.mark.parametrize("arguments", [["--yes"], ["--yes", "--scope", "preview"]])
def test_a_full_disk_can_be_cleaned(full_disk: Project, arguments: list[str]) -> None:
    """Files go first, which needs no room; rows last, into the room that became free, or with all of `state.db`."""
    result = full_disk.command("clean", *arguments)
    assert result.exit_code == 0, result.output
    remaining_files = {
        path.relative_to(full_disk.state).parts[:2] for path in full_disk.state.rglob("*") if path.is_file()
    }
    if "--scope" in arguments:
        assert not [parts for parts in remaining_files if "preview" in parts]
        assert full_disk.answers() == QUESTIONS
    else:
        assert not [parts for parts in remaining_files if parts[0] in ("index", "pages", "dagster", "state.db")]
    (full_disk.state / "filler").unlink()
    assert full_disk.index("preview").records["upserted"] > 0
    assert full_disk.answers("preview") == QUESTIONS
    assert full_disk.damage("preview") == []


@pytest.mark.parametrize("steps", range(9))  # of those of the last pages
def test_a_scope_that_is_forgotten_in_part_is_made_anew(project: Project, steps: int) -> None:
    """A full disk has it forgotten in steps, and any of them may be the last."""
    project.index("preview")
    expected = project.fingerprints("preview")
    project.store().delete_scope(open_project(project.root, {}).scope_named("preview"))
    shutil.rmtree(project.state / "pages/preview")
    with closing(open_state(project.state / "state.db")) as db, pytest.raises(KeyboardInterrupt):
        forget_in_steps(cast("sqlite3.Connection", Interrupted(db, 3 + 9 + steps)), "preview")
    project.index("preview")
    assert project.fingerprints("preview") == expected
    assert project.answers("preview") == QUESTIONS
    assert project.damage("preview") == []


@dataclass
class Interrupted:
    """A connection that lets so many statements through."""

    db: sqlite3.Connection
    left: int

    def execute(self, sql: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return self.db.execute(sql, values)


def test_a_full_disk_can_be_rolled_back(full_disk: Project) -> None:
    before = full_disk.fingerprints()
    result = full_disk.command("rollback")
    assert result.exit_code == 0, result.output
    assert full_disk.fingerprints() != before
    assert full_disk.answers() == QUESTIONS
    assert full_disk.damage() == []


def test_a_run_on_a_full_disk_says_full_and_which_stage(full_disk: Project) -> None:
    """The report of the run cannot be written either, and must not hide what failed first."""
    page = full_disk.root / "build/about/index.html"
    page.write_text(page.read_text(encoding="utf-8").replace("boats", "ships"), encoding="utf-8")
    result = subprocess.run([COMMAND, "index"], cwd=full_disk.root, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    # Either of the first two stages may need the room that is missing.
    expected = r"error \[STATE_UNAVAILABLE\]: (site_pages|page_mirror): .*state\.db: the disk is full .*\n"
    assert re.fullmatch(expected, result.stderr), result.stderr


def test_rows_of_a_scope_whose_files_are_gone_are_no_danger(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows remain if they could not be deleted; the next run builds all of the scope again."""
    expected = project.fingerprints()

    def refuse(*_: object) -> None:
        raise StateUnavailable("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(ProjectState, "forget", refuse)
        assert project.command("clean", "--scope", "main", "--yes").exit_code == 1
    assert not (project.state / "index/main").exists()
    project.index()
    assert project.fingerprints() == expected
    assert project.answers() == QUESTIONS
    assert (project.state / "pages/main/docs/ropes.md").is_file()


@pytest.fixture
def read_only(small_disk: Project) -> Project:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk.state)], check=True)
    return small_disk


def test_a_read_only_state_is_searched_and_refuses_to_be_indexed(read_only: Project) -> None:
    """A server may see the folder that another machine writes."""
    assert read_only.answers() == QUESTIONS
    with TestClient(create_app(open_project(read_only.root, {}), environ={}), base_url="http://127.0.0.1") as client:
        answer = client.get("/api/search", params={"q": "bowline"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["results"][0]["url"] == "/docs/ropes"
    with pytest.raises(StateUnavailable, match=str(read_only.state)):
        read_only.index()
    for name, *arguments in (("search", "bowline"), ("status",), ("doctor",), ("index", "--dry-run"), ("index",)):
        result = read_only.command(name, *arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), (name, result.exception)
        assert (result.exit_code == 0) == (name in ("search", "status") or "--dry-run" in arguments), result.output
    assert "STATE_UNAVAILABLE" in result.output
