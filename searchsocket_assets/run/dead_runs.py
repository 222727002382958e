"""Fail runs whose process died with the machine, or with all of Dagster.

Dagster's launcher cannot check whether a process exists, so such a run would stay "started" for ever. It would count
against the limit of concurrent runs, and its backfill would never end.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import dagster as dg

from searchsocket_assets.run.home import HOME_VARIABLE
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.run.tags import COMMAND, LAUNCHED_BY_TAG

_PROCESS = re.compile(r"^Started process for run \(pid: (\d+)\)")
_BEGUN = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING])


def fail_dead_runs(home: Path) -> list[str]:
    """Fail the runs that Dagster launched and whose process has ended, so that they are repeated; return their ids.

    Runs of commands are left to the next command for their scope.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    buried = []
    with home_errors(home), open_instance(home) as instance:
        for run in instance.get_runs(_BEGUN):
            process = _process_of(instance, run)
            is_ours = run.tags.get(LAUNCHED_BY_TAG) != COMMAND or run.parent_run_id is not None
            if is_ours and process is not None and not _is_alive(process, {HOME_VARIABLE: str(home)}):
                instance.report_run_failed(run, "The process of this run no longer exists.")
                buried.append(run.run_id)
    return buried


def _process_of(instance: dg.DagsterInstance, run: dg.DagsterRun) -> int | None:
    """The process that executes a run, from the launcher's log."""
    matches = (
        _PROCESS.match(entry.message) for entry in instance.all_logs(run.run_id, dg.DagsterEventType.ENGINE_EVENT)
    )
    return next((int(match[1]) for match in matches if match), None)


def _is_alive(process: int, environ: Mapping[str, str]) -> bool:
    """Return True if a process is alive; a new process with the same number is recognised by its environment if
    readable.
    """
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return True
    return all(f"{name}={value}".encode() in variables for name, value in environ.items())
