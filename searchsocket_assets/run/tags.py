"""Tags of runs: their project, and their launcher."""

import dagster as dg

from searchsocket.pipeline.branches.builds import build_of
from searchsocket.pipeline.run.context import ScopeRun

HIDDEN = ".dagster/searchsocket_"  # prefix of tags that the UI does not show
PARTITION_TAG = "dagster/partition"  # its scope
RANGE_TAGS = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
PROJECT_TAG = "project"  # a home may serve several projects
ROOT_TAG = f"{HIDDEN}root"  # id and folder of the project, `docs@/srv/docs`
BRANCH_TAG = "searchsocket/branch"  # branch of its scope
BUILD_TAG = f"{HIDDEN}build"  # digest of the build that the run was requested for, or read
REFUSED_TAG = f"{HIDDEN}refused"  # what the gate that refused its candidate judged by: a digest
LAUNCHED_BY_TAG = "searchsocket/launched_by"
COMMAND = "cli"
REPORT_TAG = "searchsocket/run"  # id of the run of a command that Dagster's run shows
STARTED_TAG = f"{HIDDEN}started_at"  # when that run started, ISO 8601
REPOSITORY_TAG = ".dagster/repository"  # lets the UI list a run on the page of its job


def tag_run(instance: dg.DagsterInstance, run: dg.DagsterRun, project_id: str, root: str) -> None:
    """Tag a run that Dagster launched; a re-executed run has the tags of the first one."""
    tags = {PROJECT_TAG: project_id, LAUNCHED_BY_TAG: launcher(run), ROOT_TAG: root}
    if any(run.tags.get(name) != value for name, value in tags.items()):
        instance.add_run_tags(run.run_id, tags)


def launcher(run: dg.DagsterRun) -> str:
    """The launcher of a run: `cli`, `schedule`, `sensor`, `backfill`, `re-execution`, otherwise a person: `ui`."""
    if run.parent_run_id is not None:
        return "re-execution"
    if REPORT_TAG in run.tags:
        return COMMAND
    marks = {"dagster/schedule_name": "schedule", "dagster/sensor_name": "sensor", "dagster/backfill": "backfill"}
    return next((word for mark, word in marks.items() if mark in run.tags), "ui")


def note_build(instance: dg.DagsterInstance, run_id: str, of_site: ScopeRun) -> None:
    """Tag a run with the build that it reads, so that no sensor asks for another run of that build."""
    if build := build_of(of_site):
        instance.add_run_tags(run_id, {BUILD_TAG: build.digest})


def is_cancelled(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Return True if a person asked Dagster to end the run, which its process may not know."""
    run = instance.get_run_by_id(run_id)
    return run is not None and run.status in (dg.DagsterRunStatus.CANCELING, dg.DagsterRunStatus.CANCELED)
