"""The library's checks as asset checks of their stages; a blocking one stops later stages.

All checks of a stage are one step, since a step costs more than most checks.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby

import dagster as dg

from searchsocket.pipeline.run.checks import Check
from searchsocket.quality.checks import ALL_CHECKS, BETWEEN_RUNS
from searchsocket_assets.resources import options_of
from searchsocket_assets.run.evaluations import checked, outcome_of
from searchsocket_assets.run.translate import errors_as_failures, events_logged
from searchsocket_assets.site import DagsterSite


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
                for key, check in by_key.items():
                    if key in context.selected_asset_check_keys:
                        outcome = outcome_of(check, run)
                        if check.blocking and not outcome.passed:
                            # The row of a failed run shows only the check's name.
                            context.log.error(f"{check.name}: {outcome.message}")
                        yield checked(outcome, key)

    return evaluate


def all_checks(site: DagsterSite) -> tuple[dg.AssetChecksDefinition, ...]:
    """The checks of a run, one step per stage, and the checks between runs."""
    in_runs = [check for check in ALL_CHECKS.values() if check.name not in BETWEEN_RUNS]
    between = [check for check in ALL_CHECKS.values() if check.name in BETWEEN_RUNS]
    by_stage = groupby(in_runs, key=lambda check: check.stage.name)
    steps = [stage_checks(f"{stage}_checks", list(checks), site) for stage, checks in by_stage]
    return (*steps, stage_checks("scope_checks", between, site))
