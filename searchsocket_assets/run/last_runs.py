"""Status of the newest run of each scope."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import dagster as dg

from searchsocket.project.project import Project
from searchsocket_assets.run.history import runs_of
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance


def last_runs(project: Project, home: Path, scopes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    """Map scopes to `status` and `runId` of their newest run; scopes without runs are left out.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with home_errors(home), open_instance(home) as instance:
        return last_runs_in(instance, project, scopes)


def last_runs_in(
    instance: dg.DagsterInstance, project: Project, scopes: Sequence[str]
) -> Mapping[str, Mapping[str, str]]:
    """Like `last_runs`, in an open instance."""
    newest = {name: instance.get_runs(runs_of(instance, project, name), limit=1) for name in scopes}
    return {name: {"status": runs[0].status.value, "runId": runs[0].run_id} for name, runs in newest.items() if runs}
