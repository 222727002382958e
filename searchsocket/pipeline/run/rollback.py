"""Roll back to the previous generation, for the command line and Dagster."""

from collections.abc import Mapping
from typing import NamedTuple

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.hooks import changing
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.types import Generation, Scope


class RolledBack(NamedTuple):
    """The live generation after a rollback."""

    live: Generation
    replaced: str  # name of the previously live one; "" if it could not be read


def roll_back(project: Project, scope: Scope, environ: Mapping[str, str]) -> RolledBack:
    """Switch a scope to the previous generation.

    Raises:
        ScopeLocked: A run works on the scope.
        ScopeNotIndexed, NoGenerationBefore: There is no live or no previous generation.
        SearchSocketError: A hook of an extension refuses the switch, or cannot use it.
    """
    run = ScopeRun(project, scope, "", environ=environ)
    make_private_folders(project)
    with run.state.lock(scope.name), changing(run):
        before = run.backends.store.generation(scope)
        live = run.backends.store.rollback(scope)
    return RolledBack(live, before.name if before else "")
