"""The partitions of a site; a Dagster home may contain those of other projects too."""

import os
from collections.abc import Collection

import dagster as dg

from searchsocket.backends import Backends
from searchsocket.pipeline.branches.scopes import existing_scopes
from searchsocket.project.project import Project
from searchsocket.project.scopes import is_scope_name
from searchsocket_assets.run.history import is_own_home
from searchsocket_assets.site import DagsterSite


def names_in_stores(project: Project) -> set[str]:
    """The scopes with a stored index, state or mirror.

    Raises:
        SearchSocketError: They cannot be listed.
    """
    scopes, problem = existing_scopes(project, Backends(project, os.environ, calls=False).store)
    if problem is not None:
        raise problem
    return {scope.name for scope in scopes}


def own_partitions(
    instance: dg.DagsterInstance, site: DagsterSite, project: Project, alive: Collection[str] = ()
) -> list[str]:
    """The partitions of a site: all if it does not share them; otherwise stored scopes and existing branches.

    Raises:
        SearchSocketError: The stored scopes cannot be listed.
    """
    keys = [key for key in instance.get_dynamic_partitions(site.partitions_name) if is_scope_name(key)]
    if owns_partitions(instance, site, project):
        return keys
    own_names = {*names_in_stores(project), *alive}
    return [key for key in keys if key in own_names]


def owns_partitions(instance: dg.DagsterInstance, site: DagsterSite, project: Project) -> bool:
    """Return True if no other project uses the site's partitions."""
    return site.has_own_partitions or is_own_home(instance, project)
