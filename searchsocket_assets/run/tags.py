"""Tags of runs: which project they are of, and who launched them."""

import dagster as dg

PROJECT_TAG = "project"  # a home may serve several projects
BRANCH_TAG = "searchsocket/branch"  # what the name of its scope was made of
BUILD_TAG = "searchsocket/build"  # digest of the build that the run was asked for, or found
LAUNCHED_BY_TAG = "searchsocket/launched_by"
COMMAND = "cli"


def tag_run(instance: dg.DagsterInstance, run: dg.DagsterRun, project_id: str, *, by_command: bool) -> None:
    """Put both tags on a run that Dagster launched; a command's own run has them from the start.

    A run that is executed again has the tags of the first one.
    """
    tags = {PROJECT_TAG: project_id, LAUNCHED_BY_TAG: COMMAND if by_command else launcher(run)}
    if any(run.tags.get(name) != value for name, value in tags.items()):
        instance.add_run_tags(run.run_id, tags)


def launcher(run: dg.DagsterRun) -> str:
    """What made Dagster launch a run: `schedule`, `sensor`, `backfill`, `re-execution`, else a person: `ui`."""
    if run.parent_run_id is not None:
        return "re-execution"
    marks = {"dagster/schedule_name": "schedule", "dagster/sensor_name": "sensor", "dagster/backfill": "backfill"}
    return next((word for mark, word in marks.items() if mark in run.tags), "ui")
