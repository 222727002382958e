"""The jobs that index a scope: its site, and its source code; and the job that plans it."""

from typing import Any

import dagster as dg

from searchsocket.pipeline.run.context import CODE, SITE, corpora_of
from searchsocket.pipeline.run.index import plan_scope as plan_corpus
from searchsocket.pipeline.run.stages import CODE_STAGES, LLMS_STAGES, STAGES, STATIC_STAGES
from searchsocket.quality.checks import BETWEEN_RUNS
from searchsocket_assets.project_root import begin_run
from searchsocket_assets.resources import options_of
from searchsocket_assets.run.translate import errors_as_failures, events_logged, observed
from searchsocket_assets.site import DagsterSite

INDEX_SITE = "index_site"
INDEX_CODE = "index_code"
PLAN = "plan_scope"
_PUBLISHED = {SITE.name: list(STAGES)[-1], CODE.name: list(CODE_STAGES)[-1]}


def index_site_job(site: DagsterSite) -> Any:
    """The job over the assets of a site, without the checks between runs."""
    static = STATIC_STAGES if site.traits.has_static else ()
    stages = [*STAGES, *(LLMS_STAGES if site.traits.has_llms else ()), *static]
    between = [dg.AssetCheckKey(site.key("search_index"), name) for name in sorted(BETWEEN_RUNS)]
    return dg.define_asset_job(
        name=site.named(INDEX_SITE),
        selection=dg.AssetSelection.assets(*map(site.key, stages)) - dg.AssetSelection.checks(*between),
        description="Index the site of one scope: read, mirror, chunk, embed and publish. Run configuration: "
        f"`resources.{site.options_key}.config` (force, limits, cost). `{site.named('plan_scope')}` shows what "
        f"it would do.",
        owners=site.owners,
        tags=site.job_tags("site"),
        executor_def=dg.in_process_executor,
    )


def index_code_job(site: DagsterSite) -> Any:
    """The job over the assets of a project's source code."""
    return dg.define_asset_job(
        name=site.named(INDEX_CODE),
        selection=dg.AssetSelection.assets(*map(site.key, CODE_STAGES)),
        description="Index the source code of one scope: list, chunk, embed and publish. "
        f"Run configuration: the same as `{site.named(INDEX_SITE)}`.",
        owners=site.owners,
        tags=site.job_tags("code"),
        executor_def=dg.in_process_executor,
    )


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
