"""Show the runs of commands in Dagster: one run of Dagster for each report that a command left.

The run has the job, partition and assets of a run that does the work, but each asset and check takes its result from
the report. So Dagster's history, plots, checks and automation conditions treat both kinds alike. To execute such a run
again from the UI does the work.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any

import dagster as dg

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.run.checks import Check
from searchsocket.pipeline.run.context import SITE, ScopeRun
from searchsocket.pipeline.run.report import RunReport, report_of, reports_of
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
    """Request a run for each report that has none yet, oldest first.

    The cursor has the ids of reports with a run. A new Dagster home has no cursor, so it gets every stored report.
    """
    try:
        project = site.open()
        reports = [*reports_with_job(site, project)]
    except SearchSocketError as error:
        return dg.SkipReason(f"{error.code}: {error}")
    seen = _seen(context.cursor)
    new = [report for report in reports if _short(report) not in seen][:_MOST_AT_ONCE]
    known = [report for report in reports if _short(report) in seen]
    requests = [request_for(site, project, report) for report in new if not is_shown(context.instance, report)]
    added = sorted({request.partition_key or "" for request in requests})
    missing = sorted({*added} - {*context.instance.get_dynamic_partitions(site.partitions_name)})
    return dg.SensorResult(
        run_requests=requests,
        skip_reason=None if requests else dg.SkipReason("no run of a command to show"),
        dynamic_partitions_requests=[site.partitions.build_add_request(missing)] if missing else [],
        cursor=json.dumps([_short(report) for report in (*known, *new)], separators=(",", ":")),
    )


def reports_with_job(site: DagsterSite, project: Project) -> Iterator[RunReport]:
    """The reports whose corpus has a job: source code has one only while it is enabled."""
    return (report for report in reports_of(project) if report.corpus == SITE.name or site.traits.has_code)


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
    if report.failure or job_stages(site, report.corpus) <= report.stages.keys():
        return None
    return [site.key(name) for name in report.stages]


def is_shown(instance: dg.DagsterInstance, report: RunReport) -> bool:
    """Return True if a run of Dagster shows a report."""
    return bool(instance.get_runs(dg.RunsFilter(tags={REPORT_TAG: report.run_id}), limit=1))


def _short(report: RunReport) -> str:
    return report.run_id[:13]


def _seen(cursor: str | None) -> set[str]:
    try:
        return {str(name) for name in json.loads(cursor or "[]")}
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
