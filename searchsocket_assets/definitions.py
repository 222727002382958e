"""Definitions for a project with its own Dagster home (see workspace.yaml).

It loads in any folder, also in one whose configuration is broken.
"""

import os

import dagster as dg

from searchsocket_assets.look import Look, look_of_project
from searchsocket_assets.site import DagsterSite


def build_definitions(root: str = "", *, look: Look | None = None) -> dg.Definitions:
    """All definitions of one project, with plain names.

    Args:
        root: Folder of the project; "" leaves it to the environment of each run.
        look: How its assets look in the UI; no run depends on it.
    """
    from searchsocket_assets.site_factory import definitions_of

    # A process for each step costs five times the work; runs of different scopes are processes already.
    executor = dg.Definitions(executor=dg.in_process_executor)
    return dg.Definitions.merge(definitions_of(DagsterSite(root, look=look or Look())), executor)


@dg.definitions
def defs() -> dg.Definitions:
    return build_definitions(look=look_of_project(os.environ))
