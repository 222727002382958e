"""Refuse a second project with the same id: both would share partitions, and index and prune for each other."""

import os
from pathlib import Path

import dagster as dg

from searchsocket.errors import ConfigError, SearchSocketError
from searchsocket.project.project import Project, open_project
from searchsocket_assets.run.tags import ROOT_TAG, tag_run
from searchsocket_assets.site import DagsterSite


class SearchProject(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The project of a site. Dagster does not merge two resources with one key, so two projects cannot share an id."""

    root: str


def project_resource(site: DagsterSite) -> dict[str, SearchProject]:
    """The resource of a site, under a key that contains the id of its project."""
    if not site.has_own_partitions:
        return {}
    name = "".join(
        char if char.isascii() and char.isalnum() else "_" if char == "-" else f"_{ord(char):x}_"
        for char in site.project_id
    )
    return {f"project_{name}": SearchProject(root=site.root)}


def begin_run(instance: dg.DagsterInstance, run: dg.DagsterRun, site: DagsterSite, project: Project) -> None:
    """Tag a run with its project and the project's folder.

    Raises:
        ConfigError: Another folder of this machine has a project with this id, and runs in this deployment.
    """
    root = str(project.root.resolve())
    prefix = f"{project.id}@"
    if site.has_own_partitions:
        for _, values in instance.get_run_tags([ROOT_TAG], value_prefix=prefix):
            for other in sorted(values - {prefix + root}):
                _require_gone(project.id, root, other.removeprefix(prefix))
    tag_run(instance, run, project.id, prefix + root)


def _require_gone(project_id: str, root: str, other: str) -> None:
    """Raise if `other` still contains a project of this id; after a move, old runs name a folder without one."""
    try:
        is_same = open_project(Path(other), os.environ).id == project_id
    except (SearchSocketError, OSError):
        return
    if is_same and Path(other).is_dir():
        raise ConfigError(
            f"project id {project_id!r} is the id of two projects in this Dagster deployment, {root} and {other}: they "
            "would share partitions; set another `project.id` in one of them"
        )
