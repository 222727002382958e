"""The five assets between a built site and its published index, each a partition a scope.

Their data lies in the project's state directory, so there are no IO managers: `deps` order the stages, and each can
be materialized alone, in its own process. What did not change is skipped inside each stage, by content hash.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import dagster as dg

from searchsocket.chunking import CHUNKER_VERSION
from searchsocket.html.extract import EXTRACTOR_VERSION
from searchsocket_assets.partitions import SCOPES
from searchsocket_assets.resources import Caller, IndexOptions, SiteProject
from searchsocket_assets.run.history import delete_old_runs
from searchsocket_assets.run.translate import errors_as_failures, events_logged, materialized, observed

FIRST = dg.AssetKey("site_pages")
PUBLISHED = dg.AssetKey("search_index")

Results = Iterator[dg.MaterializeResult[None]]
InProcess = dg.ResourceParam[Caller]


def run_stage(context: dg.AssetExecutionContext, site: SiteProject, options: IndexOptions, caller: Caller) -> Results:
    """Run the stage that the asset is named after; a dry run logs the plan and yields nothing, which ends the run."""
    # The stages bring parsers and engines with them; definitions must load without.
    from searchsocket.pipeline.run.index import plan_scope
    from searchsocket.pipeline.run.stages import STAGES

    stage = context.asset_key.to_user_string()
    with errors_as_failures(stage, caller.on_event), events_logged(context.log, caller.on_event) as on_event:
        run = replace(
            site.scope_run(caller, context.partition_key, context.run.run_id, options.to_run_options(), on_event),
            should_stop=lambda: caller.should_stop() or is_cancelled(context.instance, context.run.run_id),
            lock_timeout_s=options.lock_timeout_s,
        )
        if options.dry_run:
            context.log_event(observed(plan_scope(run), PUBLISHED))
            return
        if context.asset_key == FIRST:
            delete_old_runs(context.instance, run.project, run.scope.name)
        yield materialized(STAGES[stage](run))


def is_cancelled(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Whether somebody asked Dagster to end the run, whose process may not know of it."""
    run = instance.get_run_by_id(run_id)
    return run is not None and run.status in (dg.DagsterRunStatus.CANCELING, dg.DagsterRunStatus.CANCELED)


def site_asset(
    *, version: str, kinds: set[str], deps: Sequence[dg.AssetsDefinition] = ()
) -> Callable[[Callable[..., Results]], dg.AssetsDefinition]:
    """What the five assets share.

    None has a retry policy: Dagster takes an interruption for a failure that may be tried again. What may pass by
    itself is tried again inside a stage.
    """
    return dg.asset(
        deps=list(deps),
        kinds=kinds,
        code_version=version,
        partitions_def=SCOPES,
        group_name="site",
        owners=["team:searchsocket"],
        output_required=False,  # a dry run materializes nothing
    )


@site_asset(version="1", kinds={"svelte", "html"})
def site_pages(
    context: dg.AssetExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
) -> Results:
    """Inventory of the pages of the site: each canonical URL once, with what tells whether its bytes changed.

    Says also whether the source was seen completely: only a complete run may delete.
    """
    yield from run_stage(context, site, options, caller)


@site_asset(version=EXTRACTOR_VERSION, deps=[site_pages], kinds={"markdown"})
def page_mirror(
    context: dg.AssetExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
) -> Results:
    """What the index sees of each page, as Markdown files that people can read and diff.

    Main content without boilerplate, the route file that made the page, and who links to it.
    """
    yield from run_stage(context, site, options, caller)


@site_asset(version=CHUNKER_VERSION, deps=[page_mirror], kinds={"markdown"})
def page_chunks(
    context: dg.AssetExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
) -> Results:
    """The mirror cut at headings into the pieces that search finds, and what embedding the new ones will cost."""
    yield from run_stage(context, site, options, caller)


@site_asset(version="1", deps=[page_chunks], kinds={"numpy"})
def chunk_embeddings(
    context: dg.AssetExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
) -> Results:
    """A vector for every chunk, from the cache where its text was ever embedded before.

    Batches are kept as they arrive, so the next run goes on where the provider failed.
    """
    yield from run_stage(context, site, options, caller)


@site_asset(version="1", deps=[page_chunks, chunk_embeddings], kinds={"sqlite", "tantivy"})
def search_index(
    context: dg.AssetExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
) -> Results:
    """The published index: a generation is built beside the live one, verified, then switched in atomically."""
    yield from run_stage(context, site, options, caller)


ASSETS = (site_pages, page_mirror, page_chunks, chunk_embeddings, search_index)
