"""The live generation of this machine against the published one, and its push after a run, a rollback or by command."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from searchsocket.errors import ArtifactsUnavailable, IndexCorrupt, ScopeNotIndexed
from searchsocket.extensions.fleet.carried import carried_settings
from searchsocket.extensions.fleet.documents import Pointer
from searchsocket.extensions.fleet.lease import is_built_on
from searchsocket.extensions.fleet.push import Pushed, push_generation
from searchsocket.extensions.fleet.run_lease import run_lease
from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.project import Project, index_folder
from searchsocket.project.scopes import named_default_branch
from searchsocket.state import STATE_FILE
from searchsocket.state.archive import archive
from searchsocket.stores.local.layout import read_current, scope_folder
from searchsocket.system.files import write_atomic
from searchsocket.types import Scope

# Beside CURRENT: hash of the description of the last generation that the index and the object store shared.
_BASE = "artifact.sha256"


def is_published_here(project: Project, scope: Scope, pointer: Pointer) -> bool:
    """Return True if the index of this machine is, or continues, the published generation."""
    base = ""
    with suppress(FileNotFoundError):
        base = (_folder(project, scope) / _BASE).read_text(encoding="ascii", errors="replace").strip()
    return is_built_on(pointer, base, local_generations(project, scope))


def local_generations(project: Project, scope: Scope) -> tuple[str, ...]:
    """The live generation of this machine and the previous one; empty without a readable index."""
    current = None
    with suppress(IndexCorrupt):
        current = read_current(_folder(project, scope))
    return tuple(name for name in (current.live, current.previous) if name) if current else ()


def push_live(
    project: Project, scope: Scope, environ: Mapping[str, str], now: datetime, run_id: str = ""
) -> Pushed | None:
    """Push the live generation of a scope to `artifacts.url`; None if that is not set.

    The caller must have the scope's lock. Files that the object store has are not sent again.

    Args:
        now: UTC.

    Raises:
        ScopeNotIndexed: Nothing was published.
        ArtifactsUnavailable: The object store cannot be reached or written; its live generation stays.
        PublishedElsewhere: Another machine published the live generation there, and this index is not built on it.
        LeaseLost: Another machine took over the scope; the live generation there stays.
        ScopeLocked: A run on another machine works on the scope.
        ConfigError, ConfigMissing, ProjectMismatch, IndexCorrupt: See `open_objects` and `push_generation`.
    """
    if not artifacts_of(project).url:
        return None
    folder = _folder(project, scope)
    current = read_current(folder)
    if current is None:
        raise ScopeNotIndexed(scope.name)
    public = _public_scopes(project, environ)
    try:
        with run_lease(project, scope, run_id, is_required=True) as lease:
            assert lease
            if not is_published_here(project, scope, lease.pointer):
                raise lease.elsewhere()
            pushed = push_generation(
                lease.objects,
                lease,
                folder / current.live,
                carried_settings(project.settings),
                public,
                now,
                _state_writer(project, scope) if artifacts_of(project).state else None,
            )
            note_base(project, scope, lease.pointer.description)
            return pushed
    except ArtifactsUnavailable as error:
        raise ArtifactsUnavailable(
            f"{error}; generation {current.live} is live on this machine. The next run, or `searchsocket "
            f"artifacts push`, uploads it"
        ) from error


def _state_writer(project: Project, scope: Scope) -> Callable[[Path], None] | None:
    file = project.state_dir / STATE_FILE
    return partial(archive, file, scope.name) if file.is_file() else None


def note_base(project: Project, scope: Scope, description: str) -> None:
    """Record the generation that the index and the object store now share, by the hash of its description.

    Call it after the switch: after a crash in between, the live generation of both is equal, which has the same effect.
    """
    write_atomic(_folder(project, scope) / _BASE, description.encode("ascii"))


def _folder(project: Project, scope: Scope) -> Path:
    return scope_folder(index_folder(project.settings.vector, project.state_dir), scope.name)


def _public_scopes(project: Project, environ: Mapping[str, str]) -> tuple[str, ...] | None:
    """The scopes that anyone may read; None = this machine does not know, so the pushed list stays.

    `api.scopes`; else the one scope of a project with `scope.mode = "fixed"`; else the default branch that git names.
    """
    settings = project.settings
    if settings.api.scopes:
        return tuple(dict.fromkeys(project.scope(environ, name).name for name in settings.api.scopes))
    if settings.scope.mode == "fixed":
        return (project.scope(environ).name,)
    branch = named_default_branch(project.root, environ)
    return (project.scope(environ, branch).name,) if branch else None
