"""Keep Dagster's run history short: each run takes a third of a megabyte, and Dagster itself deletes none.

Also reads the newest run of each scope.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

from searchsocket.project.project import Project
from searchsocket_assets.partitions import PARTITION_TAG
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.run.tags import PROJECT_TAG

if TYPE_CHECKING:
    from searchsocket_assets.site import DagsterSite


MAX_RUNS = 50  # per job and scope
_DELETED_AT_ONCE = 10  # a long history is shortened step by step, so that no single run takes long
ASSET_JOB = "__ASSET_JOB"  # Dagster's own name for assets that are materialized without a job


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
