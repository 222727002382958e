"""Jobs over the live index: roll back to the previous generation, and check the index between runs."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.run.rollback import roll_back
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.quality.checks import ALL_CHECKS
from searchsocket_assets.initial_status import schedule_start
from searchsocket_assets.own_scopes import names_in_stores, own_partitions
from searchsocket_assets.project_root import begin_run
from searchsocket_assets.resources import options_of
from searchsocket_assets.run.evaluations import evaluated, latest_materialization, outcome_of
from searchsocket_assets.run.translate import errors_as_failures, events_logged
from searchsocket_assets.site import DagsterSite

ROLLBACK = "rollback_scope"
VERIFY = "verify_scope"


def rollback_job(site: DagsterSite) -> dg.JobDefinition:
    """The job that rolls back to the previous generation."""

    @dg.op(name=site.named("rollback"), pool=site.pool(ROLLBACK))
    def rollback(context: dg.OpExecutionContext) -> None:
        """Switch the scope of the run to the previous generation."""
        with errors_as_failures():
            project = site.open()
            begin_run(context.instance, context.run, site, project)
            scope = project.scope_named(context.partition_key)
            live, replaced = roll_back(project, scope, os.environ, datetime.now(UTC))
        numbers = {"records": live.records, "pages": live.pages}
        words = f"rolled back to generation {live.name}" + (f" from {replaced}" if replaced else "")
        context.log.info(words)
        context.log_event(
            dg.AssetObservation(
                site.key(search_index.name),
                partition=scope.name,
                description=words,
                metadata={"generation": live.name, "replaced": replaced, "published_at": live.published_at, **numbers},
            )
        )

    @dg.job(
        name=site.named(ROLLBACK),
        partitions_def=site.partitions,
        description="Make the previous generation live again, like `searchsocket rollback`; the next run of "
        f"`{site.named('index_site')}` publishes a new one.",
        tags=site.job_tags("maintenance"),
        owners=site.owners,
        executor_def=dg.in_process_executor,
    )
    def rollback_scope() -> None:
        rollback()

    return rollback_scope


def verify_job(site: DagsterSite) -> dg.JobDefinition:
    """The job that runs all checks of a live index."""

    @dg.op(name=site.named("verify"), required_resource_keys={site.options_key}, pool=site.pool(VERIFY))
    def verify(context: dg.OpExecutionContext) -> Iterator[dg.AssetCheckEvaluation | dg.Output[None]]:
        """Run all checks of a live index, and report their results on the asset."""
        with errors_as_failures(), events_logged(context.log) as on_event:
            options = options_of(context.resources, site).to_run_options()
            run = site.scope_run(context.run, options, on_event)
            begin_run(context.instance, context.run, site, run.project)
            failed = []
            for check in ALL_CHECKS.values():
                if check.stage.name == search_index.name:
                    key = site.key(check.stage.name)
                    target = latest_materialization(context.instance, key, context.partition_key)
                    evaluation = evaluated(outcome_of(check, run), check, key, context.partition_key, target)
                    yield evaluation
                    if not evaluation.passed and evaluation.severity is dg.AssetCheckSeverity.ERROR:
                        failed.append(f"{check.name}: {evaluation.description}")
        if failed:
            raise dg.Failure("\n".join(failed))
        yield dg.Output(None)

    @dg.job(
        name=site.named(VERIFY),
        partitions_def=site.partitions,
        description="Check the live index of a scope: files, golden queries, links, age and branch. Fails if a "
        "check fails; changes nothing.",
        tags=site.job_tags("maintenance"),
        owners=site.owners,
        executor_def=dg.in_process_executor,
    )
    def verify_scope() -> None:
        verify()

    return verify_scope


def verify_schedule(site: DagsterSite, job: dg.JobDefinition) -> dg.ScheduleDefinition:
    """The schedule that verifies; off unless the site enables it."""

    @dg.schedule(
        job=job,
        **schedule_start(site, "nightly_verify", "30 4 * * *"),
        description="Checks every scope every night.",
        owners=site.owners,
        tags=site.tags("maintenance"),
    )
    def every_scope(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest] | dg.SkipReason:
        try:
            project = site.open()
            names = names_in_stores(project)
            scopes = [key for key in own_partitions(context.instance, site, project) if key in names]
        except SearchSocketError as error:
            return dg.SkipReason(f"{error.code}: {error}")
        return [dg.RunRequest(partition_key=scope) for scope in scopes]

    return every_scope
