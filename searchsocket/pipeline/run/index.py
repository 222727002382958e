"""Use case: index a scope, or plan a run without executing it (spec 8.1, 21)."""

import tempfile
import traceback
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from searchsocket.errors import CandidateRefused, ConfigMissing, Interrupted, SearchSocketError
from searchsocket.events import Event
from searchsocket.models.embedders import resolved_provider
from searchsocket.models.embedders.openai_key import key_variable
from searchsocket.pipeline.branches.builds import build_of
from searchsocket.pipeline.run.checks import Check, CheckFailed, outcome_of, refused_outcomes
from searchsocket.pipeline.run.context import SITE, Corpus, ScopeRun, Workspace
from searchsocket.pipeline.run.hooks import telling
from searchsocket.pipeline.run.report import RunFailure, RunReport
from searchsocket.pipeline.run.results import CheckOutcome, ChunkNumbers, Numbers, StageResult, result_of
from searchsocket.pipeline.run.stage import AnyStage, exclusive
from searchsocket.pipeline.run.stages import STAGES, every_stage, stages_of
from searchsocket.pipeline.run.summary import IndexSummary, PagesOrigin, origin_of_pages, summarise
from searchsocket.project.project import Project
from searchsocket.state.project import ProjectState
from searchsocket.stores import make_vectors
from searchsocket.system.json_text import JsonObject


def assumptions(run: ScopeRun) -> Iterator[str]:
    """Yield a sentence for each fact that a plan assumes and a real run would check."""
    settings, environ = run.project.settings, run.project.environment(run.environ)
    live = run.backends.store.generation(run.scope)
    if settings.vector.provider != "local":
        try:
            make_vectors(settings.vector, run.project.id, environ)
            reason = f"a plan does not read {settings.vector.provider}"
        except ConfigMissing as error:
            reason = str(error)
        facts = (
            f"its records are those of generation {live.name}" if live else "it is empty, as this folder has no index"
        )
        yield f"assumed: {reason}; for this plan {facts}"
    if settings.embeddings.provider == "auto" and live is None:
        provider = resolved_provider(settings.embeddings, environ, "")
        why = "a key is set" if provider == "openai" else f"${key_variable(settings.embeddings)} is not set"
        yield f"assumed: embeddings.provider is auto and {why}, so this plan counts the cost of {provider}"


def run_scope(run: ScopeRun, checks: Collection[Check]) -> RunReport:
    """Run every stage of the run's corpus, each with its checks, under one lock; a failure ends the run.

    Args:
        checks: They run after their stage; a failed blocking one ends the run like an error of the stage.

    Returns:
        The report, also of a run that failed or was interrupted.
    """
    started_at = run.clock().isoformat()
    build = build_of(run) if run.source_kind.reads_commit else None
    stages: dict[str, StageResult[Numbers]] = {}
    outcomes: dict[str, CheckOutcome] = {}
    failure = None
    stage = next(iter(_stages(run)))
    run.on_event(Event("run_started", {"run": run.run_id}))
    try:
        with telling(run), exclusive(run):
            for stage in _stages(run):
                stages[stage.name] = stage(run)
                _check(run, [check for check in checks if check.stage is stage], outcomes)
    except KeyboardInterrupt:
        failure = RunFailure(stage.name, Interrupted.code, "the run was interrupted")
    except CandidateRefused as error:
        outcomes |= refused_outcomes(error, [check for check in checks if check.stage is stage])
        failure = RunFailure.of(stage.name, error)
    except SearchSocketError as error:
        failure = RunFailure.of(stage.name, error)
    except Exception as error:  # noqa: BLE001  a report also names a bug
        run.on_event(Event("stage_crashed", {"stage": stage.name, "traceback": traceback.format_exc()}))
        reason = f"{stage.name} failed with a bug: {error or type(error).__name__}"
        report = "please report it with the output of `--verbose`"
        failure = RunFailure(stage.name, SearchSocketError.code, f"{reason}; {report}")
    return RunReport(
        run_id=run.run_id,
        scope=run.scope.name,
        branch=run.scope.branch,
        corpus=run.corpus.name,
        started_at=started_at,
        ended_at=run.clock().isoformat(),
        options=run.options.stated(),
        build=build.digest if build else "",
        stages=stages,
        checks=outcomes,
        failure=failure,
    )


def _check(run: ScopeRun, checks: Collection[Check], outcomes: dict[str, CheckOutcome]) -> None:
    """Run the checks of a stage and add their outcomes.

    Raises:
        CheckFailed: A blocking check failed.
    """
    for check in checks:
        outcomes[check.name] = outcome = outcome_of(check, run)
        if check.blocking and not outcome.passed and outcome.severity == "error":
            raise CheckFailed(check.name, outcome)


def index_scope(run: ScopeRun) -> IndexSummary:
    """Run every stage of the run's corpus under one lock, without checks or a report.

    Raises:
        SearchSocketError: A stage failed; the live index is unchanged.
    """
    with telling(run), exclusive(run):
        return summarise(run.scope.name, [stage(run) for stage in _stages(run)])


def plan_scope(run: ScopeRun) -> IndexSummary:
    """Dry run: run the stages on a temporary copy of the state; the last two only count.

    Calls no provider, needs no key and no address of a vector store, and writes nothing outside a temporary folder.
    Its warnings list the assumptions.

    Raises:
        SearchSocketError: The real run would fail with this error too.
    """
    with tempfile.TemporaryDirectory(prefix="searchsocket-plan-") as folder, run.state.dry_copy() as state:
        dry = replace(run, workspace=Workspace(Path(folder), state))
        summary = summarise(run.scope.name, [stage(dry) for stage in _stages(run)], dry_run=True)
        return replace(summary, warnings=(*summary.warnings, *assumptions(dry)))


def origin_of(state: ProjectState, scope: str, corpus: Corpus = SITE) -> PagesOrigin:
    """The source of a scope's pages in its last run, from the stages' reports; changes nothing."""
    reports = [(stage, state.last_report(scope, stage.name)) for stage in every_stage(corpus).values()]
    return origin_of_pages([result_of(report, stage.numbers) for stage, report in reports if report])


def last_run_costs(state: ProjectState, scope: str) -> JsonObject:
    """The changes and the most expensive pages of the last run, as in `IndexSummary`; changes nothing."""
    reports = [(stage, state.last_report(scope, stage.name)) for stage in STAGES.values()]
    results = [result_of(report, stage.numbers) for stage, report in reports if report]
    if not any(isinstance(result.numbers, ChunkNumbers) for result in results):
        return {}
    summary = summarise(scope, results).to_json()
    return {"changedChunks": summary["chunks"]["changed"]} | {
        name: summary[name] for name in ("expensivePages", "buildOutput")
    }


def summary_of(project: Project, run_id: str, scope: str, corpus: Corpus = SITE) -> IndexSummary:
    """Summarise a run from the recorded reports of its stages.

    Args:
        project: The home of the corpus.
    """
    reports = ProjectState(project.state_dir).results_of(run_id)
    stages = stages_of(corpus, project.settings)
    return summarise(scope, [result_of(report, stages[report["stage"]].numbers) for report in reports])


def _stages(run: ScopeRun) -> Collection[AnyStage]:
    return stages_of(run.corpus, run.project.settings).values()
