"""Dagster's history of runs, kept short: each leaves a third of a megabyte, and Dagster itself deletes none."""

import shutil
from pathlib import Path

import dagster as dg

from searchsocket.project.project import Project
from searchsocket_assets.jobs import INDEX_CODE, INDEX_SITE
from searchsocket_assets.partitions import PARTITION_TAG
from searchsocket_assets.run.tags import PROJECT_TAG

KEPT_RUNS = 50  # of each scope
_DELETED_AT_ONCE = 10  # a history from before is shortened little by little, so that no run pays for all of it
_ASSET_JOB = "__ASSET_JOB"  # Dagster's own name for assets that are materialized without a job


def runs_of(instance: dg.DagsterInstance, project: Project, scope: str) -> dg.RunsFilter:
    """The runs of a scope: all in a home of the project's own; else those that name the project."""
    if is_own_home(instance, project):
        return dg.RunsFilter(tags={PARTITION_TAG: scope})
    return dg.RunsFilter(job_name=INDEX_SITE.name, tags={PARTITION_TAG: scope, PROJECT_TAG: project.id})


def is_own_home(instance: dg.DagsterInstance, project: Project) -> bool:
    return Path(instance.root_directory) == project.dagster_home


def delete_old_runs(instance: dg.DagsterInstance, project: Project, scope: str, kept: int) -> int:
    """Delete finished runs of the scope beyond the newest ones; each call some, and how many."""
    newest = instance.get_runs(runs_of(instance, project, scope), limit=kept + _DELETED_AT_ONCE)
    ours = (INDEX_SITE.name, INDEX_CODE.name, _ASSET_JOB)
    old = [run for run in newest[kept:] if run.is_finished and run.job_name in ours]
    for run in old:
        delete_run(instance, run.run_id)
    return len(old)


def delete_run(instance: dg.DagsterInstance, run_id: str) -> None:
    """Delete a run with its files, which Dagster empties but keeps."""
    instance.delete_run(run_id)
    shard = getattr(instance.event_log_storage, "path_for_shard", None)  # SQLite has a file for each run
    for suffix in ("", "-wal", "-shm"):
        if shard:
            Path(f"{shard(run_id)}{suffix}").unlink(missing_ok=True)
    shutil.rmtree(Path(instance.storage_directory()) / run_id, ignore_errors=True)  # what its process printed
