"""The library's checks as asset checks of the stage that they judge; a blocking one stops what comes after.

Those of one stage are one step: a step costs more than most checks do.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby

import dagster as dg

from searchsocket.pipeline.run.checks import Check
from searchsocket.quality.checks import ALL_CHECKS, BETWEEN_RUNS
from searchsocket_assets.assets import InProcess
from searchsocket_assets.partitions import SCOPES
from searchsocket_assets.resources import IndexOptions, SiteProject
from searchsocket_assets.run.evaluations import checked, outcome_of
from searchsocket_assets.run.translate import errors_as_failures, events_logged


def stage_checks(name: str, checks: Sequence[Check]) -> dg.AssetChecksDefinition:
    """The checks of one stage, evaluated for the scope of the run."""
    by_key = {dg.AssetCheckKey(dg.AssetKey(check.stage.name), check.name): check for check in checks}
    with warnings.catch_warnings():
        # Partitions of checks are new in Dagster 1.13: the exact lock and the tests here guard what may change.
        warnings.simplefilter("ignore", dg.PreviewWarning)

        @dg.multi_asset_check(
            name=name,
            specs=[
                dg.AssetCheckSpec(
                    check.name,
                    asset=check.stage.name,
                    description=check.description,
                    blocking=check.blocking,
                    partitions_def=SCOPES,
                )
                for check in checks
            ],
            can_subset=True,
        )
        def evaluate(
            context: dg.AssetCheckExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
        ) -> Iterator[dg.AssetCheckResult]:
            with errors_as_failures(), events_logged(context.log, caller.on_event) as on_event:
                run = site.scope_run(caller, context.run, options.to_run_options(), on_event)
                for key, check in by_key.items():
                    if key in context.selected_asset_check_keys:
                        outcome = outcome_of(check, run)
                        if check.blocking and not outcome.passed:
                            # The row of a failed run names the check alone.
                            context.log.error(f"{check.name}: {outcome.message}")
                        yield checked(outcome, key)

    return evaluate


def _between_runs(check: Check) -> bool:
    return check.name in BETWEEN_RUNS


IN_RUNS = tuple(
    stage_checks(f"{stage}_checks", list(checks))
    for stage, checks in groupby(
        [check for check in ALL_CHECKS.values() if not _between_runs(check)], key=lambda check: check.stage.name
    )
)
WITHOUT_RUNS = stage_checks("scope_checks", [check for check in ALL_CHECKS.values() if _between_runs(check)])
ASSET_CHECKS = (*IN_RUNS, WITHOUT_RUNS)
