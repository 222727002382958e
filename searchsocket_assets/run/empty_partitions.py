"""Delete partitions without any data: the second phase of pruning, which also cleans up after a crash.

Open-source Dagster cannot wipe one partition. So its runs are deleted, and then its key; otherwise a branch that
reappears would be shown as already indexed.
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


def delete_empty_partitions(project: Project, environ: Mapping[str, str], home: Path, plan: PrunePlan) -> list[str]:
    """Delete the partitions that `plan` deletes and that have no data; return their names.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with home_errors(home), open_instance(home) as instance:
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
