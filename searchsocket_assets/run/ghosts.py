"""Partitions of which nothing is kept any more: the second phase of pruning, which also heals what a crash left.

Open-source Dagster cannot wipe one partition. Its runs are deleted, and then its key, so that a branch that comes back
is not shown as indexed already.
"""

from collections.abc import Mapping
from pathlib import Path

import dagster as dg

from searchsocket.branches.pruning import PrunePlan
from searchsocket.branches.scopes import kept_scopes
from searchsocket.errors import SearchSocketError
from searchsocket.project.backends import Backends
from searchsocket.project.project import Project
from searchsocket_assets.partitions import NAME
from searchsocket_assets.run.history import delete_run, is_own_home, runs_of
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance


def forget_ghosts(project: Project, environ: Mapping[str, str], home: Path, plan: PrunePlan) -> list[str]:
    """Forget the partitions that `plan` lets go and of which nothing is kept; their names.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with home_errors(home), open_instance(home) as instance:
        return forget_in(instance, project, environ, plan)


def forget_in(instance: dg.DagsterInstance, project: Project, environ: Mapping[str, str], plan: PrunePlan) -> list[str]:
    """As `forget_ghosts`, in an instance that is open.

    In a home that is not the project's own, another project may have a scope of the same name: there only the runs that
    name this project go, and the partition stays.
    """
    backends = Backends(project, environ, calls=False)
    own = is_own_home(instance, project)
    forgotten = []
    for name in sorted({verdict.scope for verdict in plan.going} | ghosts_of(instance, project, plan)):
        try:
            with backends.state.lock(name):
                runs = instance.get_runs(runs_of(instance, project, name))
                kept = {scope.name for scope in kept_scopes(project, backends.store)[0]}
                if name in kept or not all(run.is_finished for run in runs):
                    continue  # it came back, or comes back just now
                for run in runs:
                    delete_run(instance, run.run_id)
                if own:
                    instance.delete_dynamic_partition(NAME, name)
                forgotten.append(name)
        except SearchSocketError:
            continue  # a run has the scope, or what is kept cannot be told: the next prune asks again
    return forgotten


def ghosts_of(instance: dg.DagsterInstance, project: Project, plan: PrunePlan) -> set[str]:
    """Partitions of no living branch and without data; none in a home that may be another project's too."""
    if not is_own_home(instance, project):
        return set()
    return {key for key in instance.get_dynamic_partitions(NAME) if plan.is_ghost(key)}
