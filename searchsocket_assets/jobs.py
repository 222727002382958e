"""The jobs over one scope: index its site or another corpus, plan a run, roll back, and check the live index."""

import os
from collections.abc import Iterator
from typing import Any

import dagster as dg

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.run.checks import outcome_of
from searchsocket.pipeline.run.context import SITE, corpora_of
from searchsocket.pipeline.run.index import plan_scope as plan_corpus
from searchsocket.pipeline.run.rollback import roll_back
from searchsocket.pipeline.run.stages import publishing_stage
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.quality.checks import ALL_CHECKS, BETWEEN_RUNS
from searchsocket_assets.partitions import names_in_stores, own_partitions
from searchsocket_assets.resources import begin_project_run, begin_scope_run
from searchsocket_assets.run.translate import (
    errors_as_failures,
    evaluated,
    events_logged,
    latest_materialization,
    observed,
)
from searchsocket_assets.site import DagsterSite, job_stages

INDEX_SITE = "index_site"
PLAN = "plan_scope"
ROLLBACK = "rollback_scope"
VERIFY = "verify_scope"


def index_site_job(site: DagsterSite) -> Any:
    """The job over the assets of a site, without the checks between runs."""
    between = [dg.AssetCheckKey(site.key("search_index"), name) for name in sorted(BETWEEN_RUNS)]
    return dg.define_asset_job(
        **site.job_fields(INDEX_SITE, "site"),
        selection=dg.AssetSelection.assets(*map(site.key, job_stages(site, SITE.name)))
        - dg.AssetSelection.checks(*between),
        description="Index the site of one scope: read, mirror, chunk, embed and publish. Run configuration: "
        f"`resources.{site.options_key}.config` (force, limits, cost). `{site.named('plan_scope')}` shows what "
        f"it would do.",
    )


def index_corpus_name(corpus: str) -> str:
    """The name of the job over a corpus besides the site."""
    return f"index_{corpus}"


def index_corpus_job(site: DagsterSite, corpus: str) -> Any:
    """The job over the assets of a corpus besides the site."""
    return dg.define_asset_job(
        **site.job_fields(index_corpus_name(corpus), corpus),
        selection=dg.AssetSelection.assets(*map(site.key, job_stages(site, corpus))),
        description=f"Index the {corpus} of one scope: list, chunk, embed and publish. "
        f"Run configuration: the same as `{site.named(INDEX_SITE)}`.",
    )


def plan_job(site: DagsterSite) -> dg.JobDefinition:
    """The job that plans a run."""

    @dg.op(name=site.named("plan"), required_resource_keys={site.options_key}, pool=site.pool(PLAN))
    def plan(context: dg.OpExecutionContext) -> None:
        """Run every stage over a temporary copy of the state, without calls, writes or materializations."""
        with errors_as_failures("plan"), events_logged(context.log) as on_event:
            run = begin_scope_run(context, site, on_event)
            for corpus in corpora_of(run.project.settings):
                context.log_event(observed(plan_corpus(run.of(corpus)), site.key(publishing_stage(corpus))))

    @dg.job(
        **site.job_fields(PLAN, "site"),
        partitions_def=site.partitions,
        description="Plan indexing one scope and estimate its cost; recorded as an observation of "
        "`search_index`. Run configuration: "
        f"the same as `{site.named('index_site')}`.",
    )
    def plan_scope() -> None:
        plan()

    return plan_scope


def rollback_job(site: DagsterSite) -> dg.JobDefinition:
    """The job that rolls back to the previous generation."""

    @dg.op(name=site.named("rollback"), pool=site.pool(ROLLBACK))
    def rollback(context: dg.OpExecutionContext) -> None:
        """Switch the scope of the run to the previous generation."""
        with errors_as_failures():
            project = begin_project_run(context, site)
            scope = project.scope_named(context.partition_key)
            live, replaced = roll_back(project, scope, os.environ)
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
        **site.job_fields(ROLLBACK, "maintenance"),
        partitions_def=site.partitions,
        description="Make the previous generation live again, like `searchsocket rollback`; the next run of "
        f"`{site.named('index_site')}` publishes a new one.",
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
            run = begin_scope_run(context, site, on_event)
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
        **site.job_fields(VERIFY, "maintenance"),
        partitions_def=site.partitions,
        description="Check the live index of a scope: files, golden queries, links, age and branch. Fails if a "
        "check fails; changes nothing.",
    )
    def verify_scope() -> None:
        verify()

    return verify_scope


def verify_schedule(site: DagsterSite, job: dg.JobDefinition) -> dg.ScheduleDefinition:
    """The schedule that verifies; off unless the site enables it."""

    @dg.schedule(
        job=job,
        **site.schedule_fields("nightly_verify", "30 4 * * *", "maintenance"),
        description="Checks every scope every night.",
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
