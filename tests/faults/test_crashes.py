"""A slice of `python -m bench.crashes`: runs that are killed with SIGKILL before steps drawn from a seed."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from bench.crashes.check import leftovers
from bench.crashes.crash import Workshop, draw_step
from bench.crashes.processes import gone, session_members
from bench.crashes.runs import KINDS
from bench.indexing.generate import write_site

IN_CI = ("cold", "incremental", "rollback")


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            kind,
            id=kind.name,
            marks=pytest.mark.long if kind.name in ("forced", "second scope", "clean", "clean, index") else (),
        )
        for kind in KINDS
    ],
)
def test_a_killed_run_harms_nothing(tmp_path: Path, kind: object) -> None:
    """The old index answers all the while, the next run leads where an unkilled one leads, and nothing stays behind.

    Failure modes 27 and 28: nothing is emptied before what replaces it is there.
    """
    workshop = Workshop(tmp_path)
    prepared = workshop.prepare(kind)  # type: ignore[arg-type]
    source = random.Random(7)
    for _ in range(3):
        crash = workshop.crash_at_step(prepared, draw_step(prepared, source))
        assert crash.problems == [], crash.fell


def test_a_killed_command_leaves_no_process(tmp_path: Path) -> None:
    """On a site that is large enough for workers, killed while they extract; the next run completes."""
    write_site(tmp_path / "build", 400)
    command = [sys.executable, "-m", "searchsocket.cli.main", "index", "--json", "--project", str(tmp_path)]
    environ = os.environ | {"SEARCHSOCKET__RUN__WORKERS": "2"}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environ
    ) as run:
        assert run.stderr is not None
        assert any('"page_extracted"' in line for line in run.stderr)
        assert len(session_members(run.pid)) >= 5  # itself, two workers, and what looks after them
        run.kill()
    assert gone(run.pid)
    subprocess.run(command, env=environ, capture_output=True, check=True)
    assert leftovers(tmp_path) == []
