"""Dagster's history of a scope stays short, on the disk too."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from runner_types import RunGraph

from searchsocket.project.project import Project, open_project
from searchsocket_assets import assets
from searchsocket_assets.jobs import INDEX_SITE, index_corpus_name
from searchsocket_assets.run.history import delete_old_runs, fail_dead_runs
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.run.tags import PARTITION_TAG, PROJECT_TAG

pytestmark = pytest.mark.dagster

MAX_RUNS = 4  # here; runs take time to make
OVER = 13  # more than one run deletes


@dg.job(name=INDEX_SITE)
def index_site() -> None: ...


@dg.job(name=index_corpus_name("code"))
def index_code() -> None: ...


@dg.job
def another_job() -> None: ...


@pytest.fixture(autouse=True)
def few_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "MAX_RUNS", MAX_RUNS)


@pytest.fixture
def project(site: Path) -> Project:
    project = open_project(site, {})
    prepare_home(project.dagster_home)
    return project


@pytest.fixture
def stored(project: Project) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.from_config(str(project.dagster_home)) as instance:
        yield instance


def past_run(
    instance: dg.DagsterInstance,
    scope: str = "main",
    *,
    job: dg.JobDefinition = index_site,
    status: dg.DagsterRunStatus = dg.DagsterRunStatus.SUCCESS,
    project_id: str = "",
) -> str:
    """A run with an event and with what its process printed, as Dagster stores them."""
    tags = {PARTITION_TAG: scope, **({PROJECT_TAG: project_id} if project_id else {})}
    run = instance.create_run_for_job(job, status=status, tags=tags)
    instance.report_engine_event("something happened", run)
    printed = Path(instance.storage_directory()) / run.run_id / "compute_logs"
    printed.mkdir(parents=True)
    (printed / "all.out").write_text("printed")
    return run.run_id


def files_of(home: Path) -> set[str]:
    """Names of all files and folders of single runs."""
    return {path.name.split(".")[0] for place in ("history/runs", "storage") for path in (home / place).iterdir()}


def test_runs_beyond_the_newest_go_with_their_files(project: Project, stored: dg.DagsterInstance) -> None:
    """A run is a third of a megabyte: every five minutes would be 32 GB a year."""
    unfinished = past_run(stored, status=dg.DagsterRunStatus.STARTED)
    others = [past_run(stored, "preview"), past_run(stored, job=another_job)]
    runs = [past_run(stored) for _ in range(MAX_RUNS + OVER)]
    for _ in range(3):
        delete_old_runs(stored, project, "main", MAX_RUNS, INDEX_SITE)
    remaining_runs = {*runs[OVER:], unfinished, *others}
    assert set(stored.get_run_ids()) == remaining_runs
    assert files_of(project.dagster_home) - {"index"} == remaining_runs
    assert all(stored.all_logs(run) for run in remaining_runs)


def test_one_call_deletes_some_and_the_oldest_wait(project: Project, stored: dg.DagsterInstance) -> None:
    """A long history from before is not paid for by one run."""
    runs = [past_run(stored) for _ in range(MAX_RUNS + OVER)]
    delete_old_runs(stored, project, "main", MAX_RUNS, INDEX_SITE)
    assert 0 < len(set(runs) - set(stored.get_run_ids())) < OVER


def test_in_a_shared_home_only_the_runs_of_the_project_go(project: Project, tmp_path: Path) -> None:
    home = tmp_path / "shared"
    prepare_home(home)
    with dg.DagsterInstance.from_config(str(home)) as shared:
        theirs = [past_run(shared, project_id="another-project"), past_run(shared)]
        ours = [past_run(shared, project_id=project.id) for _ in range(MAX_RUNS + 2)]
        of_code = [past_run(shared, project_id=project.id, job=index_code) for _ in range(MAX_RUNS + 1)]
        for job in (INDEX_SITE, index_corpus_name("code")):
            delete_old_runs(shared, project, "main", MAX_RUNS, job)
        assert set(shared.get_run_ids()) == {*theirs, *ours[2:], *of_code[1:]}


def test_runs_of_other_jobs_never_push_out_those_that_index(project: Project, stored: dg.DagsterInstance) -> None:
    """Else Dagster would show a scope that nobody edits as never indexed, after so many nights of verifying it."""
    indexed = past_run(stored)
    others = [past_run(stored, job=job) for job in (another_job, index_code) for _ in range(MAX_RUNS + 1)]
    assert delete_old_runs(stored, project, "main", MAX_RUNS, INDEX_SITE) == 0
    assert delete_old_runs(stored, project, "main", MAX_RUNS, index_corpus_name("code")) == 1
    assert set(stored.get_run_ids()) == {indexed, *others} - {others[MAX_RUNS + 1]}


def test_runs_whose_process_is_gone_are_ended_when_dagster_starts(project: Project, stored: dg.DagsterInstance) -> None:
    """A machine that went down left a run that was shown as started for ever, and its backfill never ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    environ = {**os.environ, "DAGSTER_HOME": str(project.dagster_home)}
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environ) as alive:
        runs = {}
        for name, pid in (("dead", ended.pid), ("alive", alive.pid), ("number of another", os.getpid())):
            runs[name] = past_run(stored, status=dg.DagsterRunStatus.STARTED)
            run = stored.get_run_by_id(runs[name])
            stored.report_engine_event(f"Started process for run (pid: {pid}).", run)
        queued = past_run(stored, status=dg.DagsterRunStatus.NOT_STARTED)
        assert set(fail_dead_runs(project.dagster_home)) == {runs["dead"], runs["number of another"]}
        assert fail_dead_runs(project.dagster_home) == []
        alive.kill()
    statuses = {run.run_id: run.status.value for run in stored.get_runs()}
    assert statuses == {
        runs["dead"]: "FAILURE", runs["number of another"]: "FAILURE", runs["alive"]: "STARTED", queued: "NOT_STARTED"
    }  # fmt: skip


def test_a_run_keeps_the_history_short_and_stays_in_it(
    project: Project, stored: dg.DagsterInstance, run_graph: RunGraph, instance: dg.DagsterInstance
) -> None:
    runs = [past_run(instance, project_id=project.id) for _ in range(MAX_RUNS)]
    outcome = run_graph()
    assert outcome.success
    assert set(instance.get_run_ids()) == {*runs[1:], outcome.run_id}
