"""Running the graph in this process, as a full citizen of the project's Dagster instance.

It has private imports of Dagster, as has `sqlite_storage`: a run that names its code location is filtered by its job in
the UI and can be re-executed there; no public function makes such a run in process.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin

from searchsocket.errors import (
    BudgetExceeded,
    ConfigMissing,
    EmbeddingModelMismatch,
    Interrupted,
    LargeDeletion,
    PermissionDenied,
    SearchSocketError,
    StateUnavailable,
)
from searchsocket.events import Event, OnEvent
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.corpora import Corpus
from searchsocket.project.project import Project
from searchsocket.system.garbage import keep_loaded, loading
from searchsocket.types import Scope
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.look import Look
from searchsocket_assets.partitions import NAME as SCOPES_NAME
from searchsocket_assets.partitions import PARTITION_TAG, ensure_scope
from searchsocket_assets.run.history import delete_run, is_own_home, runs_of
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.run.sqlite_storage import without_storage_noise
from searchsocket_assets.run.tags import BRANCH_TAG, COMMAND, LAUNCHED_BY_TAG, PROJECT_TAG
from searchsocket_assets.run.translate import STAGE_FAILED

LOCATION = "searchsocket"  # `location_name` in workspace.yaml
JOB = "index_site"
CODE_JOB = "index_code"
# Stdout and stderr belong to the command: capturing them takes four more processes, which Ctrl-C makes complain.
_NO_CAPTURE = {
    "compute_logs": {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
}
_CHECK_FAILED = ("CHECK_FAILED", "the live index is as it was")
_CHECKS_FAILED = {  # name -> public code, and what to do
    "mirror_not_empty": (ConfigMissing.code, "the live index is as it was"),
    "page_count_not_collapsed": (LargeDeletion.code, "if that is meant, run again with --accept-large-deletion"),
    "model_matches_manifest": (EmbeddingModelMismatch.code, "the live index is as it was"),
    "cost_within_budget": (BudgetExceeded.code, "`searchsocket index --dry-run` shows what costs it"),
}
_UNFINISHED = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended; on failure with the code and the words of the first thing that went wrong."""

    run_id: str
    success: bool
    code: str = ""
    message: str = ""


def run_index(
    project: Project,
    scope: Scope,
    options: RunOptions,
    home: Path,
    *,
    on_event: OnEvent,
    should_stop: Callable[[], bool] = lambda: False,
    console: bool = False,
    corpus: Corpus = "site",
) -> RunOutcome:
    """Run the job of a corpus for one scope against the Dagster instance in `home`; the caller holds the scope's lock.

    Dagster handles SIGINT and SIGTERM while a stage runs: the run is recorded as failed, and a failure is returned.
    Between stages it may miss one, so `should_stop` is asked too.

    Raises:
        StateUnavailable: `home` cannot be written.
    """
    prepare_home(home)
    failures: list[Event] = []

    def hear(event: Event) -> None:
        if event.name == STAGE_FAILED:
            failures.append(event)
        else:
            on_event(event)

    look = Look(
        owners=project.settings.dagster.owners,  # which a run's record of its job holds
        has_code=corpus == "code",
        has_llms=corpus == "site" and project.settings.llms.enable,
    )
    with loading():
        definitions = build_definitions(str(project.root), hear, should_stop, is_command=True, look=look)
        job = definitions.resolve_job_def(JOB if corpus == "site" else CODE_JOB)
    try:
        return _executed(job, project, scope, options, home, console=console)
    except StateUnavailable:  # Dagster could not record the end of the run, which is not what went wrong first
        if not failures:
            raise
        return RunOutcome("", False, *_code_and_words(**failures[0].fields))


def _executed(
    job: dg.JobDefinition, project: Project, scope: Scope, options: RunOptions, home: Path, *, console: bool
) -> RunOutcome:
    with home_errors(home), without_storage_noise(), _opened(home) as instance:
        ensure_scope(instance, scope.name)
        _bury_dead_runs(instance, scope, job.name)
        run = instance.create_run_for_job(
            job,
            run_config=run_config(options, console=console),
            remote_job_origin=_origin(job.name),
            tags={
                PARTITION_TAG: scope.name,
                PROJECT_TAG: project.id,
                LAUNCHED_BY_TAG: COMMAND,
                **({BRANCH_TAG: scope.branch} if scope.branch else {}),
            },
        )
        return _outcome(execute_run(InMemoryJob(job), run, instance))


def _opened(home: Path) -> dg.DagsterInstance:
    with loading():  # its databases bring SQLAlchemy
        instance = open_instance(home, _NO_CAPTURE)
        keep_loaded()
    return instance


def run_config(options: RunOptions, *, console: bool) -> dict[str, Any]:
    """The options as run configuration, without those that say nothing, so that the UI shows what was asked."""
    config = dict(options.asked())
    # The log is in Dagster's database in any case; a command prints its own words.
    loggers = {} if console else {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return {**loggers, **({"resources": {"options": {"config": config}}} if config else {})}


def _origin(job: str) -> RemoteJobOrigin:
    location = RegisteredCodeLocationOrigin(LOCATION)
    return RemoteJobOrigin(RemoteRepositoryOrigin(location, "__repository__"), job)


def _bury_dead_runs(instance: dg.DagsterInstance, scope: Scope, job: str) -> None:
    """Fail the runs of killed commands: they would count against the limit of one run a scope for ever.

    The caller holds the scope's lock, so no other command is at work on this scope.
    """
    dead = dg.RunsFilter(
        job_name=job,
        tags={PARTITION_TAG: scope.name, PROJECT_TAG: scope.project_id, LAUNCHED_BY_TAG: COMMAND},
        statuses=_UNFINISHED,
    )
    for run in instance.get_runs(dead):
        if run.parent_run_id is None:  # else the UI executes it again: those tags were copied
            instance.report_run_failed(run, "The process that executed this run is gone.")


def _outcome(result: dg.JobExecutionResult) -> RunOutcome:
    if result.success:
        return RunOutcome(result.run_id, True)
    code, message = _failed_stage(result) or _failed_check(result) or _cancellation(result) or _crash(result)
    return RunOutcome(result.run_id, False, code, message)


def _failed_stage(result: dg.JobExecutionResult) -> tuple[str, str] | None:
    """The first error of the library, see `translate.errors_as_failures`."""
    for event in result.get_step_failure_events():
        data = event.step_failure_data.user_failure_data
        if data is not None and "code" in data.metadata:
            return _code_and_words(event.step_key or "", data.metadata["code"].value, data.metadata["message"].value)
    return None


def _code_and_words(stage: object, code: object, message: object) -> tuple[str, str]:
    """Code and words; where the machine refused, with the stage that met it."""
    of_machine = code in (StateUnavailable.code, PermissionDenied.code)
    return str(code), f"{stage}: {message}" if of_machine else str(message)


def _failed_check(result: dg.JobExecutionResult) -> tuple[str, str] | None:
    for evaluation in result.get_asset_check_evaluations():
        if not evaluation.passed and evaluation.blocking:
            code, advice = _CHECKS_FAILED.get(evaluation.check_name, _CHECK_FAILED)
            return code, f"{evaluation.description} (check {evaluation.check_name}); {advice}"
    return None


def _cancellation(result: dg.JobExecutionResult) -> tuple[str, str] | None:
    """The run of a command that was terminated in the UI, which sends such a run no signal."""
    if result.dagster_run.status is dg.DagsterRunStatus.CANCELED:
        return Interrupted.code, "the run was terminated in Dagster before it published anything; run again to go on"
    return None


def _crash(result: dg.JobExecutionResult) -> tuple[str, str]:
    for event in result.get_step_failure_events():
        if error := event.step_failure_data.error:
            cause = error.cause or error
            what = cause.message.strip().removeprefix(f"{cause.cls_name}").lstrip(": ") or "it does not say what"
            return SearchSocketError.code, f"{event.step_key} met a defect: {what}; report it with `--verbose`'s output"
    return SearchSocketError.code, "the run failed before its first stage; `--verbose` shows Dagster's log"


def forget_runs(project: Project, home: Path, scopes: Sequence[Scope]) -> None:
    """Delete the runs of scopes that are gone: Dagster would show a later scope of that name as materialized.

    In a home that is not the project's own, another project may have a scope of the same name: there only the runs
    that name this project go, and the partition stays.
    """
    with home_errors(home), open_instance(home) as instance:
        for scope in scopes:
            for run in instance.get_runs(runs_of(instance, project, scope.name)):
                delete_run(instance, run.run_id)
            if is_own_home(instance, project):
                instance.delete_dynamic_partition(SCOPES_NAME, scope.name)
