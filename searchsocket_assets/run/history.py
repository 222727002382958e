"""The runs of a project in Dagster: read the newest, delete old ones, and fail those whose process has ended.

Each run takes a third of a megabyte, and Dagster itself deletes none. Its launcher cannot check whether a process
exists, so a run whose process died with the machine, or with all of Dagster, would stay "started" for ever. It would
count against the limit of concurrent runs, and its backfill would never end.
"""

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

from searchsocket.project.project import HOME_VARIABLE, Project
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.run.tags import PARTITION_TAG, PROJECT_TAG

if TYPE_CHECKING:
    from searchsocket_assets.site import DagsterSite

MAX_RUNS = 50  # per job and scope
_DELETED_AT_ONCE = 10  # a long history is shortened step by step, so that no single run takes long
ASSET_JOB = "__ASSET_JOB"  # Dagster's own name for assets that are materialized without a job
_PROCESS = re.compile(r"^Started process for run \(pid: (\d+)\)")
_BEGUN = dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING])


def runs_of(instance: dg.DagsterInstance, project: Project, scope: str, job: str | None = None) -> dg.RunsFilter:
    """Runs of a scope, or of one job over it; in a shared home, only those with the project's tag."""
    project_tag = {} if is_own_home(instance, project) else {PROJECT_TAG: project.id}
    return dg.RunsFilter(job_name=job, tags={PARTITION_TAG: scope, **project_tag})


def index_records(
    instance: dg.DagsterInstance, site: "DagsterSite", project: Project, scope: str, limit: int
) -> list[dg.RunRecord]:
    """The newest runs that index a scope's site, newest first, without plans and checks of the live index."""
    records = [
        record
        for job in (site.named("index_site"), ASSET_JOB)
        for record in instance.get_run_records(runs_of(instance, project, scope, job), limit=limit)
    ]
    return sorted(records, key=lambda record: record.storage_id, reverse=True)[:limit]


def is_own_home(instance: dg.DagsterInstance, project: Project) -> bool:
    return Path(instance.root_directory) == project.dagster_home


def delete_old_runs(instance: dg.DagsterInstance, project: Project, scope: str, count: int, job: str) -> int:
    """Delete some of the oldest finished runs of a job over the scope, beyond `count`; return their number.

    It works per job, so that Dagster shows a scope's site as materialized even after many plans or runs over code.
    """
    newest = instance.get_runs(runs_of(instance, project, scope, job), limit=count + _DELETED_AT_ONCE)
    old = [run for run in newest[count:] if run.is_finished]
    for run in old:
        delete_run(instance, run.run_id)
    return len(old)


def delete_run(instance: dg.DagsterInstance, run_id: str) -> None:
    """Delete a run with its files, which Dagster empties but keeps."""
    instance.delete_run(run_id)
    shard = getattr(instance.event_log_storage, "path_for_shard", None)  # SQLite storage has a file per run
    for suffix in ("", "-wal", "-shm"):
        if shard:
            Path(f"{shard(run_id)}{suffix}").unlink(missing_ok=True)
    shutil.rmtree(Path(instance.storage_directory()) / run_id, ignore_errors=True)  # output of its process


@dataclass(frozen=True, slots=True)
class LastRun:
    """The newest run of a scope in Dagster."""

    run_id: str
    status: str
    seen_s: float  # its end, or its last sign of life; seconds since the epoch

    def to_json(self) -> Mapping[str, str]:
        return {"status": self.status, "runId": self.run_id}


def last_runs(project: Project, home: Path, scopes: Sequence[str]) -> Mapping[str, LastRun]:
    """Map scopes to their newest run; scopes without runs are left out.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with open_instance(home) as instance:
        return last_runs_in(instance, project, scopes)


def last_runs_in(instance: dg.DagsterInstance, project: Project, scopes: Sequence[str]) -> Mapping[str, LastRun]:
    """Like `last_runs`, in an open instance."""
    newest = {name: instance.get_run_records(runs_of(instance, project, name), limit=1) for name in scopes}
    return {
        name: LastRun(
            record.dagster_run.run_id,
            record.dagster_run.status.value,
            record.end_time or record.update_timestamp.timestamp(),
        )
        for name, records in newest.items()
        for record in records
    }


def fail_dead_runs(home: Path) -> list[str]:
    """Fail the runs that Dagster launched and whose process has ended, so that they are repeated; return their ids.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    buried = []
    with open_instance(home) as instance:
        for run in instance.get_runs(_BEGUN):
            process = _process_of(instance, run)
            if process is not None and not _is_alive(process, {HOME_VARIABLE: str(home)}):
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
