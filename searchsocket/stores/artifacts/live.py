"""The lease of a project's scope, and pushing what is live of it: after a run, after a rollback, or by command."""

import hashlib
import os
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable, IndexCorrupt, ScopeNotIndexed
from searchsocket.project.project import Project, index_folder
from searchsocket.project.scopes import named_default_branch
from searchsocket.state import STATE_FILE
from searchsocket.state.archive import archive, restore
from searchsocket.stores.artifacts.carried import carried_settings
from searchsocket.stores.artifacts.documents import (
    PROJECT,
    Description,
    Pointer,
    ProjectDocument,
    Writer,
    parse_document,
    read_document,
)
from searchsocket.stores.artifacts.lease import is_built_on
from searchsocket.stores.artifacts.objects import open_objects
from searchsocket.stores.artifacts.objects.base import ObjectMissing
from searchsocket.stores.artifacts.push import Pushed, push_generation
from searchsocket.stores.artifacts.scope_lease import ScopeLease, holding
from searchsocket.stores.local.layout import read_current, scope_folder
from searchsocket.system.files import TEMPORARY, write_atomic
from searchsocket.types import Scope

if TYPE_CHECKING:
    from searchsocket.stores.artifacts.pull import Pulled

_BASE = (
    "artifact.sha256"  # beside CURRENT: description of the last generation that the index and the object store shared
)
_NEAR_TIMEOUT_S = 600.0  # for another process that downloads the same scope
_leases: dict[tuple[str, Path, Scope], ScopeLease | None] = {}  # entries of those who hold the lock


def _utc_now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def scope_lease(
    project: Project,
    scope: Scope,
    run_id: str = "",
    *,
    clock: Callable[[], datetime] = _utc_now,
    timeout_s: float = 0.0,
    on_wait: Callable[[str], None] = lambda holder: None,
    is_required: bool = False,
) -> Iterator[ScopeLease | None]:
    """Hold the lease of a scope where `artifacts.url` is set; None where it is not. The caller has the scope's lock.

    Entering again costs nothing. With vectors in the index folder, only the push needs the object store: while it
    cannot be reached, this gives None unless `is_required`.

    Raises:
        ScopeLocked: A run on another machine holds it, and did all the time that the caller may wait.
        ArtifactsUnavailable: The object store cannot be reached.
        ConfigError, ConfigMissing, ProjectMismatch: See `open_objects` and `ScopeLease.acquire`.
    """
    url = project.settings.artifacts.url
    key = _key(project, scope)
    is_required = is_required or _is_shared(project)
    if not url or (key in _leases and (_leases[key] or not is_required)):
        yield _leases.get(key)
        return
    outer = {key: _leases[key]} if key in _leases else {}
    lease: ScopeLease | None = ScopeLease(open_objects(url), scope, _writer(project, run_id), clock=clock)
    assert lease
    with ExitStack() as stack:
        try:
            with suppress(ObjectMissing, ArtifactInvalid):  # another project's lease would be in the way there
                read_document(lease.objects, PROJECT, ProjectDocument, project.id)
            stack.enter_context(holding(lease, timeout_s, on_wait))
        except ArtifactsUnavailable:
            if is_required:
                raise
            lease = None
        _leases[key] = lease
        try:
            yield lease
        finally:
            _leases.pop(key)
            _leases.update(outer)


def check_lease(project: Project, scope: Scope) -> None:
    """Refuse to switch to another generation without the lease that the caller took; does nothing without one.

    Raises:
        LeaseLost, PublishedElsewhere: Another machine took over the scope.
        ArtifactsUnavailable: The object store cannot be reached, and the vectors are in a store that machines share.
    """
    if lease := _leases.get(_key(project, scope)):
        try:
            lease.check()
        except ArtifactsUnavailable:
            if _is_shared(project):
                raise


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


def adopt(project: Project, scope: Scope, lease: ScopeLease) -> "Pulled":
    """Make the published generation the live one of this machine; raises as `pull_scope`.

    After `ArtifactInvalid`, the index of this machine may replace it.
    """
    from searchsocket.stores.artifacts.pull import pull_scope

    root = index_folder(project.settings.vector, project.state_dir)
    try:
        pulled = pull_scope(lease.objects, root, scope, max_bytes=project.settings.artifacts.max_mb * 1_000_000)
    except ArtifactInvalid:
        _note_base(project, scope, lease.pointer)
        raise
    if project.settings.artifacts.state:
        _restore_state(project, scope, lease)
    _note_base(project, scope, lease.pointer)
    return pulled


def push_live(
    project: Project, scope: Scope, environ: Mapping[str, str], now: datetime, run_id: str = ""
) -> Pushed | None:
    """Push the live generation of a scope to `artifacts.url`; None where that is not set.

    To be called by who holds the scope's lock. What is there already is only looked for.

    Args:
        now: UTC.

    Raises:
        ScopeNotIndexed: Nothing was published.
        ArtifactsUnavailable: The place cannot be reached or written; what was live there stays.
        PublishedElsewhere: What is live there was published by another machine, and this index is not built on it.
        LeaseLost: Another machine took over the scope; what was live there stays.
        ScopeLocked: A run on another machine is at work on the scope.
        ConfigError, ConfigMissing, ProjectMismatch, IndexCorrupt: See `open_objects` and `push_generation`.
    """
    if not project.settings.artifacts.url:
        return None
    folder = _folder(project, scope)
    current = read_current(folder)
    if current is None:
        raise ScopeNotIndexed(scope.name)
    public = _public_scopes(project, environ)
    try:
        with scope_lease(project, scope, run_id, is_required=True) as lease:
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
                _state_writer(project, scope) if project.settings.artifacts.state else None,
            )
            _note_base(project, scope, lease.pointer)
            return pushed
    except ArtifactsUnavailable as error:
        raise ArtifactsUnavailable(
            f"{error}; generation {current.live} is live on this machine. The next run, or `searchsocket "
            f"artifacts push`, uploads it"
        ) from error


def begin_near(project: Project, scope: Scope, lease: ScopeLease) -> str:
    """Download the default public scope to a disk without a state, so that a new scope begins from its pages.

    Returns:
        Its name; "" if there is none to begin from.

    Raises:
        ArtifactsUnavailable, StateUnavailable: It cannot be downloaded.
        ScopeLocked: Another process downloads it, and did for minutes.
    """
    from searchsocket.stores.artifacts.pull import fetched_description, pull_scope

    if not project.settings.artifacts.state or (project.state_dir / STATE_FILE).exists():
        return ""
    root = index_folder(project.settings.vector, project.state_dir)
    with suppress(ArtifactInvalid, ObjectMissing, ScopeNotIndexed):
        document = read_document(lease.objects, PROJECT, ProjectDocument, scope.project_id)
        for name in document.scopes[:1]:
            near = replace(scope, name=name, branch="")
            max_bytes = project.settings.artifacts.max_mb * 1_000_000
            # Several branches may begin at once.
            pull_scope(lease.objects, root, near, max_bytes=max_bytes, lock_timeout_s=_NEAR_TIMEOUT_S)
            _restore_state(project, near, lease)
            digest = hashlib.sha256(fetched_description(root, near) or b"").hexdigest()
            write_atomic(_folder(project, near) / _BASE, digest.encode("ascii"))
            return name
    return ""


def _restore_state(project: Project, scope: Scope, lease: ScopeLease) -> None:
    """Continue with the state of the other machine where this one has none; without it, all pages are compared."""
    from searchsocket.stores.artifacts.pull import fetch_blob, fetched_description

    root, target = index_folder(project.settings.vector, project.state_dir), project.state_dir / STATE_FILE
    text = fetched_description(root, scope)
    if text is None or target.exists():
        return
    entry = parse_document(text, Description, f"scope {scope.name!r}", scope.project_id).state
    max_bytes = project.settings.artifacts.max_mb * 1_000_000
    if entry is None or entry.bytes > max_bytes:
        return
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=project.state_dir) as folder:
        packed = Path(folder) / "state"
        fetch_blob(lease.objects, packed, entry)
        restore(packed, scope.name, target, max_bytes)


def _state_writer(project: Project, scope: Scope) -> Callable[[Path], None] | None:
    file = project.state_dir / STATE_FILE
    return partial(archive, file, scope.name) if file.is_file() else None


def _note_base(project: Project, scope: Scope, pointer: Pointer) -> None:
    """After the switch: a crash in between leaves the live generation of both equal, which says the same."""
    write_atomic(_folder(project, scope) / _BASE, pointer.description.encode("ascii"))


def _key(project: Project, scope: Scope) -> tuple[str, Path, Scope]:
    return project.settings.artifacts.url, project.state_dir, scope


def _folder(project: Project, scope: Scope) -> Path:
    return scope_folder(index_folder(project.settings.vector, project.state_dir), scope.name)


def _is_shared(project: Project) -> bool:
    """Return True if other machines write to the same vector store."""
    return project.settings.vector.provider != "local"


def _writer(project: Project, run_id: str) -> Writer:
    host, folder = socket.gethostname()[:300], project.state_dir.resolve()
    inode = ""
    with suppress(OSError):  # not there yet
        info = os.stat(folder)
        inode = f"{info.st_dev}:{info.st_ino}"
    disk = hashlib.sha256(f"{host}\0{folder}\0{inode}".encode("utf-8", "surrogateescape")).hexdigest()
    return Writer(host=host, pid=os.getpid(), run=run_id[:200], disk=disk)


def _public_scopes(project: Project, environ: Mapping[str, str]) -> tuple[str, ...] | None:
    """The scopes that anyone may read; None = this machine cannot tell, so those that were pushed before stay.

    `api.scopes`; else the one scope of a project with `scope.mode = "fixed"`; else the default branch that git names.
    """
    settings = project.settings
    if settings.api.scopes:
        return tuple(dict.fromkeys(project.scope(environ, name).name for name in settings.api.scopes))
    if settings.scope.mode == "fixed":
        return (project.scope(environ).name,)
    branch = named_default_branch(project.root, environ)
    return (project.scope(environ, branch).name,) if branch else None
