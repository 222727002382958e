"""Partitions of which nothing is kept any more: the second phase of pruning, which also heals what a crash left.

Open-source Dagster cannot wipe one partition. Its runs are deleted, and then its key, so that a branch that comes back
is not shown as indexed already.
"""

from collections.abc import Mapping
from pathlib import Path

import dagster as dg

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.pruning import PrunePlan
from searchsocket.pipeline.branches.scopes import existing_scopes
from searchsocket.project.project import Project
from searchsocket_assets.own_scopes import owns_partitions
from searchsocket_assets.run.history import delete_run, runs_of
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.site import DagsterSite


def forget_ghosts(project: Project, environ: Mapping[str, str], home: Path, plan: PrunePlan) -> list[str]:
    """Forget the partitions that `plan` lets go and of which nothing is kept; their names.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with home_errors(home), open_instance(home) as instance:
        return forget_in(instance, DagsterSite(), project, environ, plan)


def forget_in(
    instance: dg.DagsterInstance, site: DagsterSite, project: Project, environ: Mapping[str, str], plan: PrunePlan
) -> list[str]:
    """As `forget_ghosts`, in an instance that is open.

    Where another project may use the same partitions, only the runs that name this project go, and the partition
    stays.
    """
    backends = Backends(project, environ, calls=False)
    own = owns_partitions(instance, site, project)
    forgotten = []
    for name in sorted({verdict.scope for verdict in plan.going} | ghosts_of(instance, site, project, plan)):
        try:
            with backends.state.lock(name):
                runs = instance.get_runs(runs_of(instance, project, name))
                names = {scope.name for scope in existing_scopes(project, backends.store)[0]}
                if name in names or not all(run.is_finished for run in runs):
                    continue  # it came back, or comes back just now
                for run in runs:
                    delete_run(instance, run.run_id)
                if own:
                    instance.delete_dynamic_partition(site.partitions_name, name)
                forgotten.append(name)
        except SearchSocketError:
            continue  # a run has the scope, or what is kept cannot be told: the next prune asks again
    return forgotten


def ghosts_of(instance: dg.DagsterInstance, site: DagsterSite, project: Project, plan: PrunePlan) -> set[str]:
    """Partitions of no living branch and without data; none where they may be another project's."""
    if not owns_partitions(instance, site, project):
        return set()
    return {key for key in instance.get_dynamic_partitions(site.partitions_name) if plan.is_ghost(key)}
