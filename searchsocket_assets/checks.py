"""The library's checks as asset checks of the stage that they judge; a blocking one stops what comes after."""

import warnings

import dagster as dg

from searchsocket.pipeline.run.checks import CHECKS, Check
from searchsocket_assets.assets import InProcess
from searchsocket_assets.partitions import SCOPES
from searchsocket_assets.resources import IndexOptions, SiteProject
from searchsocket_assets.run.translate import checked, errors_as_failures, events_logged


def asset_check(check: Check) -> dg.AssetChecksDefinition:
    """One check of the library, evaluated for the scope of the run."""
    with warnings.catch_warnings():
        # Partitions of checks are new in Dagster 1.13: the exact lock and the tests here guard what may change.
        warnings.simplefilter("ignore", dg.PreviewWarning)

        @dg.asset_check(
            asset=check.stage.name,
            name=check.name,
            description=check.description,
            blocking=check.blocking,
            partitions_def=SCOPES,
        )
        def evaluate(
            context: dg.AssetCheckExecutionContext, site: SiteProject, options: IndexOptions, caller: InProcess
        ) -> dg.AssetCheckResult:
            with errors_as_failures(), events_logged(context.log, caller.on_event) as on_event:
                return checked(check.run(site.scope_run(caller, context.run, options.to_run_options(), on_event)))

    return evaluate


ASSET_CHECKS = tuple(asset_check(check) for check in CHECKS.values())
