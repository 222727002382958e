"""What indexing a scope would do and cost, as a job of its own: a run of an asset that materializes nothing would end a
backfill as failed.
"""

import dagster as dg

from searchsocket.pipeline.run.index import plan_scope as planned
from searchsocket.pipeline.run.stages import CODE_STAGES, STAGES
from searchsocket.project.corpora import Corpus
from searchsocket_assets.partitions import SCOPES
from searchsocket_assets.resources import Caller, IndexOptions, SiteProject
from searchsocket_assets.run.tags import tag_run
from searchsocket_assets.run.translate import errors_as_failures, events_logged, observed

_PUBLISHED: dict[Corpus, str] = {"site": list(STAGES)[-1], "code": list(CODE_STAGES)[-1]}


@dg.op(description="Runs every stage over a throw-away copy of the state. Nothing is called, written or materialized.")
def plan(
    context: dg.OpExecutionContext, site: SiteProject, options: IndexOptions, caller: dg.ResourceParam[Caller]
) -> None:
    with (
        errors_as_failures("plan", caller.on_event, log=context.log),
        events_logged(context.log, caller.on_event) as on_event,
    ):
        run = site.scope_run(caller, context.run, options.to_run_options(), on_event)
        tag_run(context.instance, context.run, run.project.id, by_command=caller.is_command)
        corpora: tuple[Corpus, ...] = ("site", "code") if run.project.settings.code.enable else ("site",)
        for corpus in corpora:
            context.log_event(observed(planned(run.of(corpus)), dg.AssetKey(_PUBLISHED[corpus])))


@dg.job(
    partitions_def=SCOPES,
    description="What indexing one scope would do and cost: an observation of `search_index`. Run configuration: as of "
    "`index_site`.",
)
def plan_scope() -> None:
    plan()
