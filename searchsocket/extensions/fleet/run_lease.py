"""The lease of a run on its scope, kept for as long as the scope's lock."""

import hashlib
import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable, ScopeLocked, StateUnavailable
from searchsocket.extensions.fleet.documents import PROJECT, ProjectDocument, Writer, read_document
from searchsocket.extensions.fleet.lease import ScopeLease, holding
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import ObjectMissing
from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.access import WRITER_FILE, make_token
from searchsocket.project.project import Project
from searchsocket.types import Scope

# A run, its stages and its push share one lease: the outermost `run_lease` enters it here, the others find it.
_leases: dict[tuple[str, Path, Scope], ScopeLease | None] = {}


def _utc_now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def run_lease(
    project: Project,
    scope: Scope,
    run_id: str = "",
    *,
    clock: Callable[[], datetime] = _utc_now,
    timeout_s: float = 0.0,
    on_wait: Callable[[str], None] = lambda holder: None,
    is_required: bool = False,
) -> Iterator[ScopeLease | None]:
    """Acquire the lease of a scope for a block; None without `artifacts.url`. The caller has the scope's lock.

    Nested calls share the outermost lease. With vectors in the index folder, only the push needs the object store:
    while it cannot be reached, this yields None unless `is_required`.

    Raises:
        ScopeLocked: A run on another machine kept it for all of `timeout_s`.
        ArtifactsUnavailable: The object store cannot be reached.
        ConfigError, ConfigMissing, ProjectMismatch: See `open_objects` and `ScopeLease.acquire`.
    """
    url = artifacts_of(project).url
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


def current_lease(project: Project, scope: Scope) -> ScopeLease | None:
    """Return the lease of the enclosing `run_lease`; None without one."""
    return _leases.get(_key(project, scope))


def check_lease(project: Project, scope: Scope) -> None:
    """Refuse to switch to another generation without the lease that the caller took; does nothing without one.

    Raises:
        LeaseLost, PublishedElsewhere: Another machine took over the scope.
        ArtifactsUnavailable: The object store cannot be reached, and the vectors are in a store that machines share.
    """
    if lease := current_lease(project, scope):
        try:
            lease.check()
        except ArtifactsUnavailable:
            if _is_shared(project):
                raise


def _key(project: Project, scope: Scope) -> tuple[str, Path, Scope]:
    return artifacts_of(project).url, project.state_dir, scope


def _is_shared(project: Project) -> bool:
    """Return True if other machines write to the same vector store."""
    return project.settings.vector.provider != "local"


def _writer(project: Project, run_id: str) -> Writer:
    return Writer(host=socket.gethostname()[:300], pid=os.getpid(), run=run_id[:200], disk=_disk(project))


def _disk(project: Project) -> str:
    """Identify the state folder by a random id in it; a copy of the folder is another one.

    A copy has the same id, but its file has a later time of change, which no program can set. Where no id can be
    written, each run has its own, so the lease of a killed one has to expire.
    """
    try:
        id_ = make_token(project, WRITER_FILE)
        changed_ns = os.stat(project.state_dir / WRITER_FILE).st_ctime_ns
    except (StateUnavailable, ScopeLocked, OSError):
        return secrets.token_hex(32)
    return hashlib.sha256(f"{id_}\0{changed_ns}".encode()).hexdigest()
