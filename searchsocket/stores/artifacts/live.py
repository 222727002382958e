"""Pushing what is live of a project's scope: after a run, after a rollback, or by command."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from searchsocket.errors import ArtifactsUnavailable, ScopeNotIndexed
from searchsocket.project.project import Project, index_folder
from searchsocket.stores.artifacts.carried import carried_settings
from searchsocket.stores.artifacts.objects import open_objects
from searchsocket.types import Scope

if TYPE_CHECKING:
    from searchsocket.stores.artifacts.push import Pushed


def push_live(project: Project, scope: Scope, environ: Mapping[str, str], now: datetime) -> "Pushed | None":
    """Push the live generation of a scope to `artifacts.url`; None where that is not set.

    To be called by who holds the scope's lock. What is there already is only looked for.

    Args:
        now: UTC.

    Raises:
        ScopeNotIndexed: Nothing was published.
        ArtifactsUnavailable: The place cannot be reached or written; what was live there stays.
        ConfigError, ConfigMissing, ProjectMismatch, IndexCorrupt: See `open_objects` and `push_generation`.
    """
    url = project.settings.artifacts.url
    if not url:
        return None
    # The engine of the words comes with these: what only names stages must not load it.
    from searchsocket.stores.artifacts.push import push_generation
    from searchsocket.stores.local.layout import read_current, scope_folder

    folder = scope_folder(index_folder(project.settings.vector, project.state_dir), scope.name)
    current = read_current(folder)
    if current is None:
        raise ScopeNotIndexed(scope.name)
    public = _public_scopes(project, environ)
    try:
        return push_generation(
            open_objects(url), folder / current.live, carried_settings(project.settings), public, now
        )
    except ArtifactsUnavailable as error:
        raise ArtifactsUnavailable(
            f"{error}; generation {current.live} is live on this machine. The next run, or `searchsocket "
            f"artifacts push`, uploads it"
        ) from error


def _public_scopes(project: Project, environ: Mapping[str, str]) -> tuple[str, ...] | None:
    """The scopes that the settings open to anyone; None where they follow the branch: each run would say another."""
    settings = project.settings
    if settings.api.scopes:
        return tuple(dict.fromkeys(project.scope(environ, name).name for name in settings.api.scopes))
    return (project.scope(environ).name,) if settings.scope.mode == "fixed" else None
