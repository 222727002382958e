"""What Dagster loads (see workspace.yaml). Loading reads no environment, no configuration and no site."""

from collections.abc import Callable

import dagster as dg

from searchsocket.events import OnEvent, ignore


def build_definitions(
    root: str = "", on_event: OnEvent = ignore, should_stop: Callable[[], bool] = lambda: False
) -> dg.Definitions:
    """The whole graph.

    Args:
        root: Folder of the project; "" leaves it to the environment of the run.
        on_event: Hears progress, beside Dagster's own log.
        should_stop: Whether the caller wants its run to end before it publishes.
    """
    from searchsocket_assets.assets import ASSETS
    from searchsocket_assets.checks import ASSET_CHECKS
    from searchsocket_assets.jobs import INDEX_SITE
    from searchsocket_assets.resources import Caller, IndexOptions, SiteProject

    return dg.Definitions(
        assets=ASSETS,
        asset_checks=ASSET_CHECKS,
        jobs=[INDEX_SITE],
        resources={
            "site": SiteProject(),
            "options": IndexOptions.configure_at_launch(),
            "caller": Caller(root, on_event, should_stop),
        },
        # A process for each step costs five times the work; runs of different scopes are processes already.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    return build_definitions()
