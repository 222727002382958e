"""What Dagster loads (see workspace.yaml). It loads in any folder, also in one whose configuration is broken."""

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import dagster as dg

from searchsocket.events import OnEvent, ignore

if TYPE_CHECKING:
    from searchsocket_assets.look import Look


def build_definitions(
    root: str = "",
    on_event: OnEvent = ignore,
    should_stop: Callable[[], bool] = lambda: False,
    *,
    is_command: bool = False,
    look: "Look | None" = None,
) -> dg.Definitions:
    """The whole graph.

    Args:
        root: Folder of the project; "" leaves it to the environment of the run.
        on_event: Hears progress, beside Dagster's own log.
        should_stop: Whether the caller wants its run to end before it publishes.
        is_command: Whether a command runs the graph in this process.
        look: How its assets look in the UI; no run depends on it.
    """
    from searchsocket_assets.assets import stage_assets
    from searchsocket_assets.checks import ASSET_CHECKS
    from searchsocket_assets.jobs import INDEX_CODE, INDEX_SITE
    from searchsocket_assets.look import Look
    from searchsocket_assets.owned import owned
    from searchsocket_assets.resources import Caller, IndexOptions, SiteProject

    look = look or Look()
    # Dagster warns of it as new, also where it copies a sensor by itself.
    warnings.filterwarnings("ignore", "Parameter `owners` of", dg.BetaWarning)
    index_site = owned(INDEX_SITE, look.owners, "site")
    definitions = dg.Definitions(
        assets=stage_assets(look),
        asset_checks=ASSET_CHECKS,
        jobs=[index_site, *([owned(INDEX_CODE, look.owners, "code")] if look.has_code else [])],
        resources={
            "site": SiteProject(),
            "options": IndexOptions.configure_at_launch(),
            "caller": Caller(root, is_command, on_event, should_stop),
        },
        # A process for each step costs five times the work; runs of different scopes are processes already.
        executor=dg.in_process_executor,
    )
    return definitions if is_command else dg.Definitions.merge(definitions, branch_definitions(look, index_site))


def branch_definitions(look: "Look", index_site: Any) -> dg.Definitions:
    """What a command's own run has no use for: branches that come and go by themselves."""
    from searchsocket_assets.branches import prune_schedule, prune_scopes, prune_sensor
    from searchsocket_assets.builds import build_sensor
    from searchsocket_assets.discovery import discovery_sensor
    from searchsocket_assets.live_jobs import rollback_scope, verify_schedule, verify_scope
    from searchsocket_assets.maintenance import maintenance, maintenance_schedule
    from searchsocket_assets.owned import owned
    from searchsocket_assets.planning import plan_scope
    from searchsocket_assets.scopes_asset import LOOK_AT_SCOPES, scopes_asset

    owners = look.owners
    prune, maintain = owned(prune_scopes, owners, "branches"), owned(maintenance, owners, "maintenance")
    verify = owned(verify_scope, owners, "maintenance")
    others = [
        owned(job, owners, subject)
        for job, subject in ((plan_scope, "site"), (LOOK_AT_SCOPES, "branches"), (rollback_scope, "maintenance"))
    ]
    return dg.Definitions(
        assets=[scopes_asset(owners)],
        jobs=[prune, maintain, verify, *others],
        sensors=[
            discovery_sensor(index_site, owners, discover=look.discovers_branches),
            build_sensor(index_site, owners, watch=look.watches_builds),
            prune_sensor(prune, owners),
        ],
        schedules=[
            prune_schedule(prune, owners),
            maintenance_schedule(maintain, owners),
            verify_schedule(verify, owners),
        ],
    )


@dg.definitions
def defs() -> dg.Definitions:
    from searchsocket_assets.look import look_of_project

    return build_definitions(look=look_of_project(os.environ))
