"""Show the runs of commands in Dagster: one run of Dagster for each report that a command left.

The run has the job, partition and assets of a run that does the work, but each asset and check takes its result from
the report. So Dagster's history, plots, checks and automation conditions treat both kinds alike. To execute such a run
again from the UI does the work.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import dagster as dg

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.run.checks import Check
from searchsocket.pipeline.run.context import SITE, ScopeRun
from searchsocket.pipeline.run.report import ReportName, RunReport, report_names, report_of
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.project.project import Project
from searchsocket.quality.checks import checks_of
from searchsocket_assets.run.tags import (
    BRANCH_TAG,
    BUILD_TAG,
    PARTITION_TAG,
    PROJECT_TAG,
    REPORT_TAG,
    STARTED_TAG,
)
from searchsocket_assets.run.translate import evaluations, failure_of, materialized
from searchsocket_assets.site import DagsterSite, job_stages

_MOST_AT_ONCE = 20  # runs that one tick requests
_TICK_S = 15


def report_of_command(run: dg.DagsterRun, project: Project) -> RunReport | None:
    """The report that a run of Dagster shows; None if the run does the work itself.

    Raises:
        Failure: The report was deleted, with its scope or as one of the oldest.
    """
    run_id = run.tags.get(REPORT_TAG)
    if run_id is None or run.parent_run_id is not None:
        return None
    report = report_of(project, run.tags[PARTITION_TAG], run_id)
    if report is None:
        raise dg.Failure(f"the report of run {run_id} no longer exists")
    return report


def recorded_stage(
    context: dg.AssetExecutionContext, run: ScopeRun, stage: AnyStage, report: RunReport
) -> Iterator[Any]:
    """Yield the events of one stage from a report.

    Raises:
        Failure: The run failed at this stage.
    """
    outcomes = {check.name: report.checks[check.name] for check in checks_of(stage) if check.name in report.checks}
    if result := report.stages.get(stage.name):
        times = {"started_at": report.started_at, "ended_at": report.ended_at}
        yield materialized(context.instance, context.asset_key, run, result, times)
    else:
        yield from evaluations(context.instance, outcomes, context.asset_key, context.partition_key)
    failure = report.failure
    if failure and failure.stage == stage.name and not (result and _has_stopped(outcomes, checks_of(stage))):
        raise failure_of(failure)


def recorded_outcome(report: RunReport, check: Check) -> CheckOutcome:
    """The outcome of a check from a report."""
    skipped = CheckOutcome(True, "skipped: the run ended before this check", severity="warn")
    return report.checks.get(check.name, skipped)


def _has_stopped(outcomes: dict[str, CheckOutcome], checks: Collection[Check]) -> bool:
    """Return True if the step of a blocking check will end Dagster's run."""
    return any(check.blocking and check.name in outcomes and not outcomes[check.name].passed for check in checks)


def command_runs(context: dg.SensorEvaluationContext, site: DagsterSite) -> dg.SensorResult | dg.SkipReason:
    """Request a run for each report that has none yet, oldest first; a report is read only once.

    The cursor has the ids of the reports that were read. A new Dagster home has no cursor, so it gets every stored one.
    """
    try:
        project = site.open()
    except SearchSocketError as error:
        return dg.SkipReason(f"{error.code}: {error}")
    names, requested = report_names(project), _requested(context.cursor)
    new = [name for name in names if _short(name) not in requested][:_MOST_AT_ONCE]
    earlier = [name for name in names if _short(name) in requested]
    requests = [request_for(site, project, report) for report in missing_reports(context.instance, site, project, new)]
    added = sorted({request.partition_key or "" for request in requests})
    new_keys = sorted({*added} - {*context.instance.get_dynamic_partitions(site.partitions_name)})
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else dg.SkipReason("no run of a command to show"),
        dynamic_partitions_requests=[site.partitions.build_add_request(new_keys)] if new_keys else [],
        cursor=json.dumps([_short(name) for name in (*earlier, *new)], separators=(",", ":")),
    )


def missing_reports(
    instance: dg.DagsterInstance, site: DagsterSite, project: Project, names: Iterable[ReportName]
) -> Iterator[RunReport]:
    """Yield the named reports that no run of Dagster shows; those of source code only while it has a job."""
    for _, scope, run_id in names:
        report = None if _is_shown(instance, run_id) else report_of(project, scope, run_id)
        if report and report.corpus in (SITE.name, *site.traits.corpora):
            yield report


def request_for(site: DagsterSite, project: Project, report: RunReport) -> dg.RunRequest:
    """The request of the run that shows a report."""
    config = {"resources": {site.options_key: {"config": dict(report.options)}}} if report.options else {}
    return dg.RunRequest(
        run_key=f"{project.id}:{report.run_id}",
        job_name=site.named(f"index_{report.corpus}"),
        partition_key=report.scope,
        run_config=config,
        tags=_tags(project, report),
        asset_selection=_selection(site, report),
    )


def _tags(project: Project, report: RunReport) -> dict[str, str]:
    return {
        PROJECT_TAG: project.id,
        BRANCH_TAG: report.branch or report.scope,
        REPORT_TAG: report.run_id,
        STARTED_TAG: report.started_at,
        **({BUILD_TAG: report.build} if report.build else {}),
    }


def _selection(site: DagsterSite, report: RunReport) -> list[dg.AssetKey] | None:
    """The assets of the run: None, so all of its job, unless the command left out a stage that is enabled now."""
    if report.failure or job_stages(site, report.corpus).keys() <= report.stages.keys():
        return None
    return [site.key(name) for name in report.stages]


def _is_shown(instance: dg.DagsterInstance, run_id: str) -> bool:
    return bool(instance.get_runs(dg.RunsFilter(tags={REPORT_TAG: run_id}), limit=1))


def _short(name: ReportName) -> str:
    return name.run_id[:13]


def _requested(cursor: str | None) -> set[str]:
    try:
        return {str(run_id) for run_id in json.loads(cursor or "[]")}
    except (ValueError, TypeError):
        return set()


def command_runs_sensor(site: DagsterSite, jobs: Collection[Any]) -> dg.SensorDefinition:
    """The sensor that shows the runs of commands; it always runs."""

    @dg.sensor(
        **site.sensor_fields("command_runs", "runs", runs=True),
        jobs=[*jobs],
        minimum_interval_seconds=_TICK_S,
        description="Shows each run of `searchsocket index` and `searchsocket backfill` as a run of its job. Such a "
        "run does no work: it repeats what the command has already reported.",
    )
    def look(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        return command_runs(context, site)

    return look
