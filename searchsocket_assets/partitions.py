"""The partitions of a site, and deletion of those without any data.

A Dagster home may contain partitions of other projects too. Deletion is the second phase of pruning, which also cleans
up after a crash. Open-source Dagster cannot wipe one partition. So its runs are deleted, and then its key; otherwise a
branch that reappears would be shown as already indexed.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import dagster as dg

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.pruning import PrunePlan
from searchsocket.pipeline.branches.scopes import existing_scopes
from searchsocket.project.project import Project
from searchsocket.project.scopes import is_scope_name
from searchsocket.types import Scope
from searchsocket_assets.run.history import delete_run, is_own_home, runs_of
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.site import NAME, DagsterSite


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


def delete_empty_partitions(project: Project, environ: Mapping[str, str], home: Path, plan: PrunePlan) -> list[str]:
    """Delete the partitions that `plan` deletes and that have no data; return their names.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with open_instance(home) as instance:
        return forget_in(instance, DagsterSite(), project, environ, plan)


def forget_in(
    instance: dg.DagsterInstance, site: DagsterSite, project: Project, environ: Mapping[str, str], plan: PrunePlan
) -> list[str]:
    """Like `delete_empty_partitions`, in an open instance.

    If another project may use the same partitions, only the runs of this project are deleted, and the partition
    stays.
    """
    backends = Backends(project, environ, calls=False)
    own = owns_partitions(instance, site, project)
    forgotten = []
    for name in sorted(
        {verdict.scope for verdict in plan.to_delete} | empty_partitions_of(instance, site, project, plan)
    ):
        try:
            with backends.state.lock(name):
                runs = instance.get_runs(runs_of(instance, project, name))
                names = {scope.name for scope in existing_scopes(project, backends.store)[0]}
                if name in names or not all(run.is_finished for run in runs):
                    continue  # it was indexed again, or is being indexed
                for run in runs:
                    delete_run(instance, run.run_id)
                if own:
                    instance.delete_dynamic_partition(site.partitions_name, name)
                forgotten.append(name)
        except SearchSocketError:
            continue  # a run uses the scope, or it cannot be checked: the next prune tries again
    return forgotten


def empty_partitions_of(instance: dg.DagsterInstance, site: DagsterSite, project: Project, plan: PrunePlan) -> set[str]:
    """Partitions without an existing branch and without data; empty if they may belong to another project."""
    if not owns_partitions(instance, site, project):
        return set()
    return {key for key in instance.get_dynamic_partitions(site.partitions_name) if plan.is_empty_partition(key)}


def forget_runs(project: Project, home: Path, scopes: Sequence[Scope]) -> None:
    """Delete the runs of deleted scopes, since Dagster would show a later scope with that name as materialized.

    In a shared home, another project may have a scope with the same name: there, only the runs of this project are
    deleted, and the partition stays.
    """
    with open_instance(home) as instance:
        for scope in scopes:
            for run in instance.get_runs(runs_of(instance, project, scope.name)):
                delete_run(instance, run.run_id)
            if is_own_home(instance, project):
                instance.delete_dynamic_partition(NAME, scope.name)
