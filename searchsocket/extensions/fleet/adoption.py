"""Continue on this machine from a published generation and its state."""

import hashlib
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from searchsocket.errors import ArtifactInvalid, ScopeNotIndexed
from searchsocket.extensions.fleet.documents import (
    PROJECT,
    Description,
    ProjectDocument,
    parse_document,
    read_document,
)
from searchsocket.extensions.fleet.lease import ScopeLease
from searchsocket.extensions.fleet.live import note_base
from searchsocket.extensions.fleet.objects.base import ObjectMissing
from searchsocket.extensions.fleet.pull import Pulled, fetch_blob, fetched_description, pull_scope
from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.project import Project, index_folder
from searchsocket.state.archive import restore
from searchsocket.state.project import STATE_FILE
from searchsocket.system.files import TEMPORARY
from searchsocket.types import Scope

_NEAR_TIMEOUT_S = 600.0  # for another process that downloads the same scope


def adopt(project: Project, scope: Scope, lease: ScopeLease) -> Pulled:
    """Make the published generation the live one of this machine; raises as `pull_scope`.

    After `ArtifactInvalid`, the index of this machine may replace it.
    """
    root = index_folder(project.settings.vector, project.state_dir)
    try:
        pulled = pull_scope(lease.objects, root, scope, max_bytes=artifacts_of(project).max_bytes)
    except ArtifactInvalid:
        note_base(project, scope, lease.pointer.description)
        raise
    if artifacts_of(project).state:
        _restore_state(project, scope, lease)
    note_base(project, scope, lease.pointer.description)
    return pulled


def start_from_default_scope(project: Project, scope: Scope, lease: ScopeLease) -> str:
    """Download the default public scope to a disk without a state, so that a new scope starts from its pages.

    Returns:
        Its name; "" if there is none.

    Raises:
        ArtifactsUnavailable, StateUnavailable: It cannot be downloaded.
        ScopeLocked: Another process has been downloading it for minutes.
    """
    if not artifacts_of(project).state or (project.state_dir / STATE_FILE).exists():
        return ""
    root = index_folder(project.settings.vector, project.state_dir)
    with suppress(ArtifactInvalid, ObjectMissing, ScopeNotIndexed):
        document = read_document(lease.objects, PROJECT, ProjectDocument, scope.project_id)
        for name in document.scopes[:1]:
            near = replace(scope, name=name, branch="")
            max_bytes = artifacts_of(project).max_bytes
            # Several branches may start at once.
            pull_scope(lease.objects, root, near, max_bytes=max_bytes, lock_timeout_s=_NEAR_TIMEOUT_S)
            _restore_state(project, near, lease)
            digest = hashlib.sha256(fetched_description(root, near) or b"").hexdigest()
            note_base(project, near, digest)
            return name
    return ""


def _restore_state(project: Project, scope: Scope, lease: ScopeLease) -> None:
    """Continue with the other machine's state if this one has none; without a state, all pages are compared."""
    root, target = index_folder(project.settings.vector, project.state_dir), project.state_dir / STATE_FILE
    text = fetched_description(root, scope)
    if text is None or target.exists():
        return
    entry = parse_document(text, Description, f"scope {scope.name!r}", scope.project_id).state
    max_bytes = artifacts_of(project).max_bytes
    if entry is None or entry.bytes > max_bytes:
        return
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=project.state_dir) as folder:
        packed = Path(folder) / "state"
        fetch_blob(lease.objects, packed, entry)
        restore(packed, scope.name, target, max_bytes)
