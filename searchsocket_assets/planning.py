"""The job that plans the indexing of a scope and its cost. An asset that materializes nothing would end a backfill
as failed.
"""

import dagster as dg

from searchsocket.pipeline.run.corpora import CODE, SITE, corpora_of
from searchsocket.pipeline.run.index import plan_scope as plan_corpus
from searchsocket.pipeline.run.stages import CODE_STAGES, STAGES
from searchsocket_assets.project_root import begin_run
from searchsocket_assets.resources import options_of
from searchsocket_assets.run.translate import errors_as_failures, events_logged, observed
from searchsocket_assets.site import DagsterSite

PLAN = "plan_scope"
_PUBLISHED = {SITE.name: list(STAGES)[-1], CODE.name: list(CODE_STAGES)[-1]}


def plan_job(site: DagsterSite) -> dg.JobDefinition:
    """The job that plans a run."""

    @dg.op(name=site.named("plan"), required_resource_keys={site.options_key}, pool=site.pool(PLAN))
    def plan(context: dg.OpExecutionContext) -> None:
        """Run every stage over a temporary copy of the state, without calls, writes or materializations."""
        with errors_as_failures("plan"), events_logged(context.log) as on_event:
            options = options_of(context.resources, site).to_run_options()
            run = site.scope_run(context.run, options, on_event)
            begin_run(context.instance, context.run, site, run.project)
            for corpus in corpora_of(run.project.settings):
                context.log_event(observed(plan_corpus(run.of(corpus)), site.key(_PUBLISHED[corpus.name])))

    @dg.job(
        name=site.named(PLAN),
        partitions_def=site.partitions,
        description="Plan indexing one scope and estimate its cost; recorded as an observation of "
        "`search_index`. Run configuration: "
        f"the same as `{site.named('index_site')}`.",
        tags=site.job_tags("site"),
        owners=site.owners,
        executor_def=dg.in_process_executor,
    )
    def plan_scope() -> None:
        plan()

    return plan_scope
