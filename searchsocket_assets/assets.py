"""The assets between a built site, or source code, and its published index: one a stage, a partition a scope.

Their data lies in the project's state directory, so there are no IO managers: `deps` order the stages, and each can
be materialized alone, in its own process. What did not change is skipped inside each stage, by content hash.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import dagster as dg

from searchsocket.branches.builds import build_of
from searchsocket.pipeline.run.outcome import GoldenQueriesFailed
from searchsocket.pipeline.run.stage import Stage
from searchsocket.pipeline.run.stages import CODE_STAGES, LLMS_STAGES, STAGES
from searchsocket_assets.columns import column_schema
from searchsocket_assets.look import Look
from searchsocket_assets.owned import about
from searchsocket_assets.partitions import SCOPES
from searchsocket_assets.resources import Caller, IndexOptions, SiteProject
from searchsocket_assets.run.evaluations import refusal
from searchsocket_assets.run.history import KEPT_RUNS, delete_old_runs
from searchsocket_assets.run.sample_queries import sample_metadata
from searchsocket_assets.run.tags import BUILD_TAG, tag_run
from searchsocket_assets.run.translate import errors_as_failures, events_logged, materialized

Results = Iterator[dg.MaterializeResult[None] | dg.AssetCheckEvaluation]
InProcess = dg.ResourceParam[Caller]


def stage_asset(stage: Stage[Any], look: Look) -> dg.AssetsDefinition:
    """One stage of the library, run for the scope of the run.

    None has a retry policy: Dagster takes an interruption for a failure that may be tried again. What may pass by
    itself is tried again inside a stage.
    """

    @dg.asset(
        name=stage.name,
        description=stage.description,
        deps=stage.reads,
        kinds=set(stage.kinds if stage.reads or stage.corpus == "code" else look.source_kinds),
        metadata=column_schema(stage.name),
        code_version=stage.version,
        partitions_def=SCOPES,
        group_name=stage.corpus,
        owners=look.owners,
        tags=about(stage.corpus),
    )
    def run_stage(
        context: dg.AssetExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
    ) -> Results:
        with (
            errors_as_failures(stage.name, caller.on_event, log=context.log),
            events_logged(context.log, caller.on_event) as on_event,
        ):
            of_site = site.scope_run(caller, context.run, options.to_run_options(), on_event)
            run = replace(
                of_site.of(stage.corpus),
                should_stop=lambda: caller.should_stop() or is_cancelled(context.instance, context.run.run_id),
                lock_timeout_s=options.lock_timeout_s,
            )
            tag_run(context.instance, context.run, of_site.project.id, by_command=caller.is_command)
            # Of a command's run over a folder the time of its begin tells as much, and costs no look at each file.
            is_told = BUILD_TAG in context.run.tags or (caller.is_command and of_site.source_mode != "git-branch")
            if not (stage.reads or is_told) and (build := build_of(of_site)):
                # So that nobody asks for a run of what this one reads.
                context.instance.add_run_tags(context.run.run_id, {BUILD_TAG: build.digest})
            if not stage.reads:
                delete_old_runs(context.instance, of_site.project, run.scope.name, KEPT_RUNS, context.run.job_name)
            try:
                result = stage(run)
            except GoldenQueriesFailed as failure:
                if stage.corpus == "site":  # code has no such check: its run says why
                    yield from refusal(failure, run, stage.name, context.partition_key)
                raise
            is_searched = result.generation and stage.corpus == "site"
            samples = sample_metadata(context.instance, run, result) if is_searched else {}
            yield materialized(run, result, samples)

    return run_stage


def is_cancelled(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Whether somebody asked Dagster to end the run, whose process may not know of it."""
    run = instance.get_run_by_id(run_id)
    return run is not None and run.status in (dg.DagsterRunStatus.CANCELING, dg.DagsterRunStatus.CANCELED)


def stage_assets(look: Look) -> tuple[dg.AssetsDefinition, ...]:
    """An asset for each stage; those of code and of `llms.txt` where they are asked for."""
    llms = LLMS_STAGES.values() if look.has_llms else ()
    stages = (*STAGES.values(), *llms, *(CODE_STAGES.values() if look.has_code else ()))
    return tuple(stage_asset(stage, look) for stage in stages)
