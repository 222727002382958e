"""Roll back to the previous generation, for the command line and Dagster."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from searchsocket.backends import Backends
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.stores.artifacts.live import is_published_here, push_live
from searchsocket.stores.artifacts.run_lease import run_lease
from searchsocket.types import Generation, Scope


class RolledBack(NamedTuple):
    """The live generation after a rollback."""

    live: Generation
    replaced: str  # name of the previously live one; "" if it could not be read


def roll_back(project: Project, scope: Scope, environ: Mapping[str, str], now: datetime) -> RolledBack:
    """Switch a scope to the previous generation, here and in the artefact store.

    Raises:
        ScopeLocked: A run works on the scope.
        ScopeNotIndexed, NoGenerationBefore: There is no live or no previous generation.
        PublishedElsewhere: Another machine published the scope after this one.
        ArtifactsUnavailable: The switch was made here, but could not be pushed.
    """
    backends = Backends(project, environ)
    make_private_folders(project)
    with backends.state.lock(scope.name), run_lease(project, scope) as lease:
        if lease and not is_published_here(project, scope, lease.pointer):
            raise lease.elsewhere()
        before = backends.store.generation(scope)
        live = backends.store.rollback(scope)
        push_live(project, scope, environ, now)
    return RolledBack(live, before.name if before else "")
