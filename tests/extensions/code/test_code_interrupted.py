"""A sync that is killed, or meets another run of the same scope, loses nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from tests.extensions.code.code_project import CodeProject

DYING = """
import os, sys
from pathlib import Path
from searchsocket.project.project import open_project
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.stores.local.store import LocalStore
LocalStore.publish = lambda *_, **__: os._exit(9)
open_upkeep(open_project(Path(sys.argv[1]), {}), os.environ).sync("main", "run-dying")
"""
COMMAND = str(Path(sys.executable).parent / "searchsocket")
SYNC = [COMMAND, "code", "sync", "--project"]
INDEX = [COMMAND, "index", "--only", "code", "--project"]


def test_a_sync_that_is_killed_before_it_publishes_is_gone_on_with(tmp_path: Path) -> None:
    code = CodeProject(tmp_path / "site")
    upkeep = open_upkeep(code.project, os.environ)
    first = upkeep.sync("main", "run-1")
    code.edit("src/auth/token.ts", "verifyToken", "checkToken")
    assert subprocess.run([sys.executable, "-c", DYING, code.root], check=False).returncode == 9
    standing = upkeep.status("main", code.run().clock())
    assert (standing.generation, standing.unpublished, standing.dirty) == (first.generation, True, True)
    [old, *_] = open_code(code.project, {}).search(CodeQuery("verifyToken"), "main").results
    assert (old.file, old.changed_since) == ("src/auth/token.ts", True)
    again = upkeep.sync("main", "run-2")
    assert (again.embedded, again.upserted >= 1) == (0, True)  # what was paid for is kept
    whole = CodeProject(tmp_path / "whole" / "site")
    whole.edit("src/auth/token.ts", "verifyToken", "checkToken")
    whole.index()
    assert code.records() == whole.records()


@pytest.mark.dagster
def test_runs_beside_each_other_end_with_one_index(tmp_path: Path) -> None:
    """Also one that goes through Dagster: the lock of the scope is the same."""
    code = CodeProject(tmp_path / "site")
    started = [subprocess.Popen([*command, code.root], stdout=subprocess.PIPE) for command in (INDEX, SYNC, SYNC)]
    statuses = [process.wait(180) for process in started]
    for process in started:
        assert process.stdout
        process.stdout.close()
    assert statuses[1:] == [0, 0]  # which wait for another run, where `index` says that there is one
    upkeep = open_upkeep(code.project, os.environ)
    assert not upkeep.status("main", code.run().clock()).dirty
    whole = CodeProject(tmp_path / "whole" / "site")
    whole.index()
    assert code.records() == whole.records()
