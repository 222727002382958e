"""The resources of a site: the options of one launch, and its project; and the begin of a run with them.

A second project with the same id is refused: both would share partitions, and index and prune for each other."""

import os
from pathlib import Path
from typing import Any, Literal

import dagster as dg
from pydantic import Field, create_model

from searchsocket.errors import ConfigError, SearchSocketError
from searchsocket.events import OnEvent
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.options import OPTIONS, Option, RunOptions
from searchsocket.project.project import Project, open_project
from searchsocket.system.json_text import JsonObject
from searchsocket_assets.run.tags import ROOT_TAG, tag_run
from searchsocket_assets.site import DagsterSite

_Context = dg.AssetExecutionContext | dg.OpExecutionContext
AS_CONFIGURED = "as-configured"
UNLIMITED = -1


def _config_field(option: Option) -> tuple[object, object]:
    """Type and field of an option in Dagster's configuration, which cannot express an unset choice."""
    if option.kind is bool:
        return bool, Field(default=False, description=option.help)
    if option.choices:
        choices = (AS_CONFIGURED, *option.choices)
        return Literal[choices], Field(default=AS_CONFIGURED, description=option.help)
    # With a value that means "use the settings", so that the launchpad shows the option; it would hide an unset one.
    return option.kind, Field(
        default=UNLIMITED, ge=UNLIMITED, description=f"{option.help} {UNLIMITED}: use the settings."
    )


_RunFields: Any = create_model(
    "_RunFields",
    __base__=dg.ConfigurableResource,
    **{option.name: _config_field(option) for option in OPTIONS},  # type: ignore[call-overload]
)


class IndexOptions(_RunFields):  # type: ignore[misc]
    """Options of one launch; one block of run configuration for the whole graph."""

    lock_timeout_s: float = Field(
        default=300.0, ge=0, description="Maximum time in seconds that a stage waits for another run on the scope."
    )

    def to_run_options(self) -> RunOptions:
        values: JsonObject = {option.name: getattr(self, option.name) for option in OPTIONS}
        unset: JsonObject = {name: None for name, value in values.items() if value in (AS_CONFIGURED, UNLIMITED)}
        return RunOptions(**(values | unset))


def options_of(resources: object, site: DagsterSite) -> IndexOptions:
    """The options of a site's launch, from the resources of an op."""
    options = getattr(resources, site.options_key)
    assert isinstance(options, IndexOptions)
    return options


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


def begin_scope_run(context: _Context, site: DagsterSite, on_event: OnEvent) -> ScopeRun:
    """Make the library's run for the launch's partition and options, and tag Dagster's run with the project.

    Raises:
        InvalidScope: The partition is not a scope of this project.
        ConfigError: Another folder of this machine has a project with this id, and runs in this deployment.
    """
    run = site.scope_run(context.run, options_of(context.resources, site).to_run_options(), on_event)
    _begin_run(context, site, run.project)
    return run


def begin_project_run(context: _Context, site: DagsterSite) -> Project:
    """Open the project of a run that is not for one scope, and tag the run with it.

    Raises:
        ConfigError: Another folder of this machine has a project with this id, and runs in this deployment.
    """
    project = site.open()
    _begin_run(context, site, project)
    return project


def _begin_run(context: _Context, site: DagsterSite, project: Project) -> None:
    """Tag a run with its project and the project's folder.

    Raises:
        ConfigError: Another folder of this machine has a project with this id, and runs in this deployment.
    """
    root = str(project.root.resolve())
    prefix = f"{project.id}@"
    if site.has_own_partitions:
        for _, values in context.instance.get_run_tags([ROOT_TAG], value_prefix=prefix):
            for other in sorted(values - {prefix + root}):
                _require_gone(project.id, root, other.removeprefix(prefix))
    tag_run(context.instance, context.run, project.id, prefix + root)


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
