"""Runs of the command line, recorded in the project's Dagster instance.

A command runs the stages and checks inside one op of a job with the same name as the UI's job, and reports each of
them as an event of its run. Of Dagster's public ways, this one costs least and shows most.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import dagster as dg

from searchsocket.errors import (
    BudgetExceeded,
    CandidateRefused,
    ConfigMissing,
    EmbeddingModelMismatch,
    Interrupted,
    LargeDeletion,
    PermissionDenied,
    SearchSocketError,
    StateUnavailable,
)
from searchsocket.events import Event, OnEvent
from searchsocket.pipeline.run.context import SITE, Corpus, ScopeRun
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.pipeline.run.stage import AnyStage, exclusive
from searchsocket.pipeline.run.stages import stages_of
from searchsocket.project.project import Project
from searchsocket.quality.checks import ALL_CHECKS, BETWEEN_RUNS
from searchsocket.quality.gate import golden_texts, judge_candidate
from searchsocket.system.json_text import JsonObject
from searchsocket.system.memory import keep_loaded, loading
from searchsocket.types import Scope
from searchsocket_assets.resources import IndexOptions
from searchsocket_assets.run import tags
from searchsocket_assets.run.history import MAX_RUNS, delete_old_runs
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.run.instance import home_errors, open_for_command, without_storage_noise
from searchsocket_assets.run.translate import (
    STAGE_FAILED,
    errors_as_failures,
    evaluated,
    events_logged,
    latest_materialization,
    outcome_of,
    refusal,
    reported,
)
from searchsocket_assets.site import ensure_scope

LOCATION = "searchsocket"  # `location_name` in workspace.yaml


def job_of(corpus: Corpus) -> str:
    """The name of the job that indexes a corpus."""
    return f"index_{corpus.name}"


JOB = job_of(SITE)
_CHECK_FAILED = ("CHECK_FAILED", "the live index did not change")
_CHECKS_FAILED = {  # name -> (public code, advice)
    "mirror_not_empty": (ConfigMissing.code, "the live index did not change"),
    "page_count_not_collapsed": (LargeDeletion.code, "if that is intended, run again with --accept-large-deletion"),
    "model_matches_manifest": (EmbeddingModelMismatch.code, "the live index did not change"),
    "cost_within_budget": (BudgetExceeded.code, "`searchsocket index --dry-run` shows the most expensive pages"),
}
_UNFINISHED = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """Result of a run; on failure with the code and message of the first problem."""

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
    corpus: Corpus = SITE,
) -> RunOutcome:
    """Index a corpus of one scope, recorded in the Dagster instance in `home`; the caller has the scope's lock.

    Dagster handles SIGINT and SIGTERM while a stage runs: the run is recorded as failed, and a failure is returned.
    Between stages it may miss a signal, so `should_stop` is checked too.

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

    work = _Work(project, scope, options, corpus, hear, should_stop)
    try:
        outcome = _execute(work, home, console=console)
    except StateUnavailable:  # Dagster could not record the end of the run, but the first failure matters
        if not failures:
            raise
        outcome = RunOutcome("", False)
    if outcome.success or not failures:
        return outcome
    return RunOutcome(outcome.run_id, False, *_code_and_words(**failures[0].fields))


@dataclass(slots=True)
class _Work:
    """The stages and checks of one run."""

    project: Project
    scope: Scope
    options: RunOptions
    corpus: Corpus
    on_event: OnEvent
    should_stop: Callable[[], bool]
    stage: str = ""  # the current stage, or the last one

    @property
    def job_name(self) -> str:
        return job_of(self.corpus)

    def job(self) -> dg.JobDefinition:
        """The job, with one op that runs all stages and checks."""

        @dg.op(name=self.job_name, required_resource_keys={"options"})
        def index(context: dg.OpExecutionContext) -> Iterator[object]:
            yield from self.events(context)
            yield dg.Output(None)

        # The resource exists only so that the run configuration has the form of the UI's job.
        @dg.job(name=self.job_name, resource_defs={"options": IndexOptions.configure_at_launch()})
        def job() -> None:
            index()

        return job

    def tags(self) -> dict[str, str]:
        """The tags of the run for lists and filters in the UI."""
        return {
            tags.PARTITION_TAG: self.scope.name,
            tags.PROJECT_TAG: self.project.id,
            tags.LAUNCHED_BY_TAG: tags.COMMAND,
            tags.REPOSITORY_TAG: f"__repository__@{LOCATION}",
            **({tags.BRANCH_TAG: self.scope.branch} if self.scope.branch else {}),
        }

    def events(self, context: dg.OpExecutionContext) -> Iterator[object]:
        """Run each stage with its checks, and yield their events for the UI."""
        instance = context.instance
        with _translate("", self.on_event, context.log) as on_event:
            on_event(Event("run_started", {"run": context.run_id}))
            run = ScopeRun(
                self.project,
                self.scope,
                context.run_id,
                self.options,
                on_event,
                environ=os.environ,
                should_stop=lambda: self.should_stop() or tags.is_cancelled(instance, context.run_id),
                judge=judge_candidate,
                golden_texts=golden_texts,
            )
            # For a folder, the start time of the run shows the same, without reading each file.
            if run.source_kind.reads_commit:
                tags.note_build(instance, context.run_id, run)
            delete_old_runs(instance, self.project, self.scope.name, MAX_RUNS, self.job_name)
            run = run.of(self.corpus)
        with ExitStack() as whole_run:
            with _translate("", self.on_event, context.log):
                whole_run.enter_context(exclusive(run))
            for stage in stages_of(self.corpus, self.project.settings).values():
                self.stage = stage.name
                with _translate(stage.name, self.on_event, context.log) as on_event:
                    yield from self._stage(context, stage, replace(run, on_event=on_event))

    def _stage(self, context: dg.OpExecutionContext, stage: AnyStage, run: ScopeRun) -> Iterator[object]:
        key, partition = dg.AssetKey(stage.name), self.scope.name
        try:
            result = stage(run)
        except CandidateRefused as failure:
            if self.corpus.has_checks:
                yield from refusal(context.instance, failure, key, partition)
            raise
        yield reported(context.instance, stage, key, run, result)
        target = latest_materialization(context.instance, key, partition)  # the one just reported
        for check in ALL_CHECKS.values():
            if check.stage.name == stage.name and check.name not in BETWEEN_RUNS:
                outcome = outcome_of(check, run)
                yield evaluated(outcome, check, key, partition, target)
                if check.blocking and not outcome.passed and outcome.severity == "error":
                    raise _CheckFailed(check.name, outcome)


class _CheckFailed(SearchSocketError):
    """A blocking check ended the run."""

    def __init__(self, check: str, outcome: CheckOutcome) -> None:
        self.code, advice = _CHECKS_FAILED.get(check, _CHECK_FAILED)
        super().__init__(f"{outcome.message} (check {check}); {advice}")


@contextmanager
def _translate(stage: str, on_event: OnEvent, log: dg.DagsterLogManager) -> Iterator[OnEvent]:
    with errors_as_failures(stage, on_event), events_logged(log, on_event) as logged:
        yield logged


def _execute(work: _Work, home: Path, *, console: bool) -> RunOutcome:
    with home_errors(home), without_storage_noise(), _open_quickly(home) as instance:
        ensure_scope(instance, work.scope.name)
        _bury_dead_runs(instance, work.scope, work.job_name)
        result = work.job().execute_in_process(
            run_config(work.options, console=console), instance=instance, tags=work.tags(), raise_on_error=False
        )
        if result.success:
            return RunOutcome(result.run_id, True)
        run = instance.get_run_by_id(result.run_id)
        cancelled = run is not None and run.status is dg.DagsterRunStatus.CANCELED
        return RunOutcome(result.run_id, False, *(_CANCELLED if cancelled else _crash(result, work.stage)))


def _open_quickly(home: Path) -> dg.DagsterInstance:
    with loading():  # heavy: imports SQLAlchemy
        instance = open_for_command(home)
        keep_loaded()
    return instance


def run_config(options: RunOptions, *, console: bool) -> JsonObject:
    """The set options as run configuration, so that the UI shows them."""
    config = dict(options.stated())
    # The log is in Dagster's database in any case; a command prints its own messages.
    loggers = {} if console else {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return {**loggers, **({"resources": {"options": {"config": config}}} if config else {})}


def _bury_dead_runs(instance: dg.DagsterInstance, scope: Scope, job: str) -> None:
    """Fail the runs of killed commands, which would count for ever against the limit of one run per scope.

    The caller has the scope's lock, so no other command works on this scope.
    """
    dead = dg.RunsFilter(
        job_name=job,
        tags={tags.PARTITION_TAG: scope.name, tags.PROJECT_TAG: scope.project_id, tags.LAUNCHED_BY_TAG: tags.COMMAND},
        statuses=_UNFINISHED,
    )
    for run in instance.get_runs(dead):
        if run.parent_run_id is None:  # otherwise the UI executes it again, with copied tags
            instance.report_run_failed(run, "The process of this run no longer exists.")


def _code_and_words(stage: object, code: object, message: object) -> tuple[str, str]:
    """Code and message; if the machine is the cause, with the stage."""
    of_machine = code in (StateUnavailable.code, PermissionDenied.code)
    return str(code), f"{stage}: {message}" if of_machine else str(message)


# A run that a person terminates in the UI gets no signal.
_CANCELLED = (
    Interrupted.code,
    "the run was terminated in Dagster before it published; run again to continue",
)


def _crash(result: dg.ExecuteInProcessResult, stage: str) -> tuple[str, str]:
    for event in result.get_step_failure_events():
        if error := event.step_failure_data.error:
            cause = error.cause or error
            reason = cause.message.strip().removeprefix(f"{cause.cls_name}").lstrip(": ") or "no message"
            report = "please report it with the output of `--verbose`"
            return SearchSocketError.code, f"{stage} failed with a bug: {reason}; {report}"
    return SearchSocketError.code, "the run failed before its first stage; `--verbose` shows Dagster's log"
