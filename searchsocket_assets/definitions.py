"""Definitions for a project with its own Dagster home (see workspace.yaml).

It loads in any folder, even if the configuration is broken.
"""

import os

from searchsocket.system.this_process import loading

with loading():
    import dagster as dg

    from searchsocket_assets.site import DagsterSite, ProjectTraits, traits_of_project


def build_definitions(root: str = "", *, traits: ProjectTraits | None = None) -> dg.Definitions:
    """All definitions of one project, with plain names.

    Args:
        root: Folder of the project; "" = from the environment of each run.
        traits: Owners, kinds and triggers of its assets; no run depends on them.
    """
    from searchsocket_assets.site_factory import definitions_of

    # A process per step takes five times the work; runs of different scopes already have separate processes.
    executor = dg.Definitions(executor=dg.in_process_executor)
    return dg.Definitions.merge(definitions_of(DagsterSite(root, traits=traits or ProjectTraits())), executor)


@dg.definitions
def defs() -> dg.Definitions:
    return build_definitions(traits=traits_of_project(os.environ))
