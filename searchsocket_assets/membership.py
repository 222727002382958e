"""Decide if a partition is a scope of a project: Dagster lets anybody launch a run over any key."""

import os
from collections.abc import Mapping
from contextlib import suppress

from searchsocket.backends import Backends
from searchsocket.errors import ConfigMissing, InvalidScope, SearchSocketError
from searchsocket.pipeline.branches.scopes import existing_scopes, live_branches_or_error
from searchsocket.project.project import Project
from searchsocket.project.scopes import sanitise_scope
from searchsocket.types import Scope
from searchsocket_assets.run.tags import BRANCH_TAG


def require_scope(project: Project, scope: Scope, scopes: Mapping[str, str], stated: str) -> None:
    """Refuse a scope that is no branch, no kept scope and no requested name of the project.

    Args:
        scopes: Scope -> branch, from the state.
        stated: The branch that the run was requested for.

    Raises:
        InvalidScope: It is none of them.
    """
    if scope.name in scopes or _is_requested(project, scope.name, stated) or _exists(project, scope.name):
        return
    branches, problem = live_branches_or_error(project)
    if branches is not None and scope.name in branches.scopes():
        return
    why = f" ({problem.code}: {problem})" if problem else ""
    raise InvalidScope(
        f"{scope.name!r} is not a branch or scope of project {project.id!r}{why}; to index it "
        f"anyway, launch again with the run tag {BRANCH_TAG} = {scope.name}, or run "
        f"`searchsocket index --scope {scope.name}`"
    )


def _is_requested(project: Project, name: str, stated: str) -> bool:
    """The run names the branch, or the settings name the scope."""
    with suppress(ConfigMissing, InvalidScope):
        if stated and sanitise_scope(stated) == name:
            return True
    with suppress(ConfigMissing, InvalidScope):
        return project.scope(os.environ).name == name
    return False


def _exists(project: Project, name: str) -> bool:
    try:
        scopes, _ = existing_scopes(project, Backends(project, os.environ, calls=False).store)
    except SearchSocketError:  # the run reports it
        return False
    return name in {scope.name for scope in scopes}
