"""Runs and readers at the same time, and clocks that jump (spec 8.1)."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fault_site import QUESTIONS, Project

from searchsocket.errors import ScopeLocked, ScopeNotIndexed

# A run that stops where it was told to, says so, and goes on when its input ends.
READER_AT_WORK = """
import sys
sys.path[:0] = sys.argv[1:3]
from pathlib import Path
from dataclasses import replace
from fault_site import Project
import searchsocket.pipeline.run.stages as stages

stage = stages.STAGES[sys.argv[5]]

def held(*arguments):
    print("held", flush=True)
    sys.stdin.read()
    return stage.body(*arguments)

stages.STAGES = {**stages.STAGES, stage.name: replace(stage, body=held)}
Project(Path(sys.argv[3])).index(sys.argv[4])
print("done", flush=True)
"""


@contextmanager
def held_run(project: Project, scope: str, stage: str) -> Iterator[subprocess.Popen[str]]:
    """A run in another process that waits before a stage, until its input is closed."""
    here = Path(__file__).parent
    command = [sys.executable, "-c", READER_AT_WORK, str(here), str(here.parent), str(project.root), scope, stage]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        if process.poll() is None:
            process.kill()


def edit(project: Project, word: str) -> None:
    page = project.root / "build/docs/ropes/index.html"
    page.write_text(page.read_text(encoding="utf-8").replace("slipping", word), encoding="utf-8")


@pytest.mark.parametrize("stage", ["site_pages", "page_mirror", "page_chunks", "chunk_embeddings", "search_index"])
def test_of_two_runs_on_one_scope_the_second_is_refused(project: Project, stage: str) -> None:
    """The error of the second run names the first; both orders end in the same index."""
    edit(project, "creeping")
    with held_run(project, "main", stage) as first:
        with pytest.raises(ScopeLocked, match=f"process {first.pid} on "):
            project.index()
        assert project.answers() == QUESTIONS
        out, _ = first.communicate("", timeout=60)
        assert out == "done\n"
    published = project.fingerprints()
    assert project.index().records == {"upserted": 0, "deleted": 0}
    assert project.fingerprints() == published
    assert project.damage() == []


@pytest.mark.parametrize("stage", ["page_mirror", "search_index"])
def test_two_scopes_are_indexed_side_by_side(project: Project, stage: str) -> None:
    with held_run(project, "preview", stage) as other:
        edit(project, "creeping")
        project.index()
        out, _ = other.communicate("", timeout=60)
        assert out == "done\n"
    assert project.answers("main") == project.answers("preview") == QUESTIONS
    assert project.damage("main") == project.damage("preview") == []
    project.index("preview")
    assert len(project.fingerprints("preview")) == len(project.fingerprints("main"))


def test_prune_leaves_a_scope_that_is_being_indexed(project: Project) -> None:
    """It reports who holds the scope, and the run publishes a whole index; afterwards prune deletes it."""
    project.index("preview")
    alive = project.root / "alive.txt"
    alive.write_text("main\n")
    prune = ("prune", "--apply", "--scopes-file", str(alive))
    with held_run(project, "preview", "search_index") as run:
        refused = project.command(*prune)
        assert (refused.exit_code, "SCOPE_LOCKED" in refused.output) == (1, True)
        assert f"process {run.pid} on " in refused.output
        out, _ = run.communicate("", timeout=60)
        assert out == "done\n"
    assert project.answers("preview") == QUESTIONS
    assert project.damage("preview") == []
    assert project.command(*prune).exit_code == 0
    with pytest.raises(ScopeNotIndexed):
        project.answers("preview")
    assert project.answers() == QUESTIONS


def test_a_run_that_dies_before_it_publishes_leaves_the_old_index(project: Project) -> None:
    """And the one after it needs nothing of it (failure mode 28)."""
    before = project.fingerprints()
    edit(project, "creeping")
    with held_run(project, "main", "search_index") as run:
        run.kill()
    assert project.fingerprints() == before
    summary = project.index()
    assert summary.records["upserted"] > 0
    assert summary.embeddings["created"] == 0  # what the dead run paid for is in the cache
    assert project.damage() == []


def test_a_reader_at_work_answers_every_question(project: Project) -> None:
    """While others publish, roll back and publish again (failure mode 54)."""
    over = threading.Event()
    begun = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        while not over.is_set():
            try:
                if (result := project.answers()) != QUESTIONS:
                    wrong.append(result)
            except Exception as error:  # noqa: BLE001  told to the main thread
                wrong.append(error)
            begun.set()

    reader = threading.Thread(target=read)
    reader.start()
    assert begun.wait(60)
    for number in range(4):
        edit(project, "slipping" if number % 2 else "creeping")
        project.index(force=number == 2)
        assert project.command("rollback").exit_code == 0
    over.set()
    reader.join()
    assert wrong == []


@pytest.mark.parametrize("jump", [timedelta(days=-3650), timedelta(days=3650)])
def test_a_clock_that_jumps_changes_no_order(project: Project, jump: timedelta) -> None:
    """The newest generation is the one that was published last, whatever its time; rollback finds the one before."""
    first = project.index().generation
    edit(project, "creeping")
    second = project.index(clock=lambda: datetime.now(UTC) + jump).generation
    assert second > first
    for command in ("status", "doctor", "search bowline"):
        assert project.command(*command.split()).exit_code == 0
    assert project.answers() == QUESTIONS
    assert project.command("rollback").exit_code == 0
    assert project.command("status", "--json").output.count(first) == 1
    edit(project, "wandering")
    third = project.index().generation
    assert third > first
    assert project.damage() == []


def test_a_cleaned_scope_is_indexed_in_full_again(project: Project) -> None:
    """Failure mode 62: nothing that stays behind may say that all is unchanged."""
    expected = project.fingerprints()
    project.index("preview")
    assert project.command("clean", "--scope", "preview", "--yes").exit_code == 0
    with pytest.raises(ScopeNotIndexed):
        project.answers("preview")
    assert project.fingerprints() == expected  # failure mode 63: exactly one scope went
    summary = project.index("preview")
    assert summary.records["upserted"] == summary.chunks["total"] == len(expected)
    assert summary.embeddings["created"] == 0
