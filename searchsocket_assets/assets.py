"""Assets from a built site, or source code, to its published index: one per stage, with one partition per scope.

Their data is in the project's state folder, so there are no IO managers. `deps` order the stages, and each can be
materialized alone, in its own process. Each stage skips unchanged content, by content hash.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain, groupby

import dagster as dg

from searchsocket.errors import CandidateRefused
from searchsocket.pipeline.run.checks import Check, outcome_of, refused_outcomes
from searchsocket.pipeline.run.context import SITE
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.quality.checks import ALL_CHECKS, BETWEEN_RUNS, RUN_CHECKS, checks_of
from searchsocket.quality.gate import gate_digest
from searchsocket_assets.command_runs import recorded_outcome, recorded_stage, report_of_command
from searchsocket_assets.resources import begin_scope_run, options_of
from searchsocket_assets.run.history import MAX_RUNS, delete_old_runs
from searchsocket_assets.run.tags import BUILD_TAG, REFUSED_TAG, is_cancelled, note_build
from searchsocket_assets.run.translate import (
    checked,
    errors_as_failures,
    evaluations,
    events_logged,
    materialized,
)
from searchsocket_assets.site import DagsterSite, job_stages

Results = Iterator[dg.MaterializeResult[None] | dg.AssetCheckEvaluation]


def stage_asset(stage: AnyStage, site: DagsterSite) -> dg.AssetsDefinition:
    """Make the asset of one stage, which runs it for the scope of the run.

    It has no retry policy, because Dagster would retry interruptions too. Temporary failures are retried inside a
    stage.
    """
    traits = site.traits

    @dg.asset(
        key=site.key(stage.name),
        description=stage.description,
        deps=[site.key(name) for name in stage.reads] or (site.deps if stage.corpus.is_built else ()),
        kinds=set(traits.source_kinds if stage.corpus.is_built and not stage.reads else stage.kinds),
        metadata=column_schema(stage),
        code_version=stage.version,
        partitions_def=site.partitions,
        group_name=site.group(stage.corpus.name),
        owners=traits.owners,
        tags=site.tags(stage.corpus.name),
        pool=site.pool(stage.name),
        required_resource_keys={site.options_key},
        freshness_policy=_freshness(traits.max_age_days) if stage.name == "search_index" else None,
        automation_condition=AFTER_A_BUILD if site.deps and stage.corpus.is_built else None,
    )
    def run_stage(context: dg.AssetExecutionContext) -> Results:
        with errors_as_failures(stage.name), events_logged(context.log) as on_event:
            of_site = begin_scope_run(context, site, on_event)
            run = replace(
                of_site.of(stage.corpus),
                should_stop=lambda: is_cancelled(context.instance, context.run.run_id),
                lock_timeout_s=options_of(context.resources, site).lock_timeout_s,
            )
            report = report_of_command(context.run, of_site.project)
            if not stage.reads:
                if BUILD_TAG not in context.run.tags and report is None:
                    note_build(context.instance, context.run.run_id, of_site)
                delete_old_runs(context.instance, of_site.project, run.scope.name, MAX_RUNS, context.run.job_name)
            if report is not None:
                yield from recorded_stage(context, run, stage, report)
                return
            try:
                result = stage(run)
            except CandidateRefused as failure:
                context.instance.add_run_tags(context.run.run_id, {REFUSED_TAG: gate_digest(of_site.project)})
                outcomes = refused_outcomes(failure, checks_of(stage))
                yield from evaluations(context.instance, outcomes, context.asset_key, context.partition_key)
                raise
            yield materialized(context.instance, context.asset_key, run, result)

    return site.translated(run_stage, stage.name)


def column_schema(stage: AnyStage) -> Mapping[str, dg.TableSchema]:
    """The metadata of an asset with its columns; empty if its stage describes none."""
    columns = [dg.TableColumn(name, kind, description) for name, kind, description in stage.columns]
    return {"dagster/column_schema": dg.TableSchema(columns)} if columns else {}


# Dagster records when an upstream asset builds the site, so a condition on it is better than a sensor. Branches change
# outside Dagster, so sensors watch them.
AFTER_A_BUILD = dg.AutomationCondition.eager()


def _freshness(max_age_days: float) -> dg.FreshnessPolicy | None:
    """A freshness policy with the limit of the check `scope_age`, in the place where users of Dagster look for it.

    Dagster judges an asset, not a partition: one busy branch keeps it fresh, while the check covers each scope.
    """
    return dg.FreshnessPolicy.time_window(fail_window=timedelta(days=max_age_days)) if max_age_days else None


def stage_assets(site: DagsterSite) -> tuple[dg.AssetsDefinition, ...]:
    """An asset for each stage: those of the site with those of extensions, then those of other corpora."""
    stages = chain.from_iterable(job_stages(site, corpus).values() for corpus in (SITE.name, *site.traits.corpora))
    return tuple(stage_asset(stage, site) for stage in stages)


def stage_checks(name: str, checks: Sequence[Check], site: DagsterSite) -> dg.AssetChecksDefinition:
    """The checks of one stage, evaluated for the scope of the run."""
    by_key = {dg.AssetCheckKey(site.key(check.stage.name), check.name): check for check in checks}
    with warnings.catch_warnings():
        # Partitions of checks are new in Dagster 1.13; tests run with the oldest and the newest release.
        warnings.simplefilter("ignore", dg.PreviewWarning)

        @dg.multi_asset_check(
            name=site.named(name),
            specs=[
                dg.AssetCheckSpec(
                    check.name,
                    asset=key.asset_key,
                    description=check.description,
                    blocking=check.blocking,
                    partitions_def=site.partitions,
                )
                for key, check in by_key.items()
            ],
            can_subset=True,
            required_resource_keys={site.options_key},
            pool=site.pool(name),
        )
        def evaluate(context: dg.AssetCheckExecutionContext) -> Iterator[dg.AssetCheckResult]:
            with errors_as_failures(), events_logged(context.log) as on_event:
                run = site.scope_run(context.run, options_of(context.resources, site).to_run_options(), on_event)
                report = report_of_command(context.run, run.project)
                for key, check in by_key.items():
                    if key in context.selected_asset_check_keys:
                        outcome = outcome_of(check, run) if report is None else recorded_outcome(report, check)
                        if check.blocking and not outcome.passed:
                            # The row of a failed run shows only the check's name.
                            context.log.error(f"{check.name}: {outcome.message}")
                        yield checked(outcome, key)

    return evaluate


def all_checks(site: DagsterSite) -> tuple[dg.AssetChecksDefinition, ...]:
    """The checks of a run, one step per stage, and the checks between runs."""
    between = [check for check in ALL_CHECKS.values() if check.name in BETWEEN_RUNS]
    by_stage = groupby(RUN_CHECKS, key=lambda check: check.stage.name)
    steps = [stage_checks(f"{stage}_checks", list(checks), site) for stage, checks in by_stage]
    return (*steps, stage_checks("scope_checks", between, site))
