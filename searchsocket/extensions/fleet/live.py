"""The live generation of this machine against the published one, and its push after a run, a rollback or by command.

A push sends missing files, then the description of the generation, then the pointer of the scope.
"""

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable, IndexCorrupt, ScopeNotIndexed
from searchsocket.extensions.fleet.documents import (
    PROJECT,
    BlobEntry,
    D,
    Description,
    Pointer,
    ProjectDocument,
    blob_name,
    carried_settings,
    description_name,
    read_document,
)
from searchsocket.extensions.fleet.lease import ScopeLease, is_built_on
from searchsocket.extensions.fleet.objects.base import ObjectMissing, Objects
from searchsocket.extensions.fleet.run_lease import run_lease
from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.project import Project, index_folder
from searchsocket.project.scopes import named_default_branch
from searchsocket.state.archive import archive
from searchsocket.state.project import STATE_FILE
from searchsocket.stores.local.layout import MANIFEST, Manifest, corrupt, read_current, read_manifest, scope_folder
from searchsocket.system.files import write_atomic
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Scope

# Beside CURRENT: hash of the description of the last generation that the index and the object store shared.
_BASE = "artifact.sha256"
_AT_ONCE = 8  # requests under way
_Files = Mapping[str, BlobEntry]


@dataclass(frozen=True, slots=True)
class Pushed:
    """Result of one push."""

    scope: str
    generation: str
    files: int  # of the whole generation
    sent_files: int
    sent_bytes: int
    is_new: bool  # whether the pointer was switched


def push_generation(
    objects: Objects,
    lease: ScopeLease,
    folder: Path,
    settings: JsonObject,
    public: Sequence[str] | None,
    now: datetime,
    write_state: Callable[[Path], None] | None = None,
) -> Pushed:
    """Send the generation in `folder` and make it live for every puller.

    An interrupted push is invisible, and its files are not sent again.

    Args:
        lease: The acquired lease of the scope.
        settings: Settings to send with it, see `carried_settings`.
        public: Scopes that anyone may read, the default first; None = unchanged, initially empty.
        now: UTC.
        write_state: Writes the state that a run on another machine needs to a new file; None = it is not sent.

    Raises:
        ArtifactsUnavailable: The object store cannot be reached or written; its live generation stays.
        LeaseLost, PublishedElsewhere: Another writer took over the scope; the live generation there stays.
        ProjectMismatch: The object store contains another project's artefacts.
        IndexCorrupt: A file of the generation differs from the published one.
    """
    manifest = read_manifest(folder)
    generation = manifest.generation
    project = _project_document(objects, generation.project_id, public, generation.scope)
    files = _files_of(folder, manifest)
    sent = _send_missing(objects, folder, files)
    description = Description(
        project_id=generation.project_id,
        scope=generation.scope,
        generation=generation.name,
        files=dict(sorted(files.items())),
        settings=dict(settings),
        pushed_at=now.isoformat(),
    )
    is_new = not _is_live(objects, lease.pointer, description)
    if project:
        objects.put(PROJECT, project.to_bytes())
    if is_new:
        if write_state:
            entry, sent_state = _send_state(objects, write_state)
            description = description.model_copy(update={"state": entry})
            sent = {**sent, **sent_state}
        text = description.to_bytes()
        digest = hashlib.sha256(text).hexdigest()
        # It has its own name, also after a rollback, so that no prune mistakes it for an old one.
        objects.put(description_name(generation.scope, generation.name, digest), text)
        # Unused files in the object store may have been pruned since the first check.
        sent = {**sent, **_send_missing(objects, folder, files)}
        lease.publish(generation.name, digest, generation.source_revision)
    return Pushed(generation.scope, generation.name, len(files), len(sent), sum(sent.values()), is_new)


def _is_live(objects: Objects, pointer: Pointer, description: Description) -> bool:
    """Return True if the live description is equal, whenever it was pushed."""
    if pointer.generation != description.generation:
        return False
    name = description_name(description.scope, pointer.generation, pointer.description)
    live = _before(objects, name, Description, description.project_id)
    changes = {"pushed_at": description.pushed_at, "state": None}  # the state follows from the rest
    return live is not None and live.model_copy(update=changes) == description


def _project_document(
    objects: Objects, project_id: str, public: Sequence[str] | None, scope: str
) -> ProjectDocument | None:
    """The new project document, or None if the stored one is equal."""
    before = _before(objects, PROJECT, ProjectDocument, project_id)
    scopes = tuple(public) if public is not None else (before.scopes if before else ())
    document = ProjectDocument(project_id=project_id, scopes=scopes, newest="" if scopes else scope)
    return None if document == before else document


def _before(objects: Objects, name: str, kind: type[D], project_id: str) -> D | None:
    """The stored document; None if it is missing or damaged, so that it is written again."""
    with suppress(ObjectMissing, ArtifactInvalid):
        return read_document(objects, name, kind, project_id)
    return None


def _files_of(folder: Path, manifest: Manifest) -> _Files:
    text = (folder / MANIFEST).read_bytes()
    own = BlobEntry(sha256=hashlib.sha256(text).hexdigest(), bytes=len(text))
    listed = {name: BlobEntry(sha256=entry.sha256, bytes=entry.bytes) for name, entry in manifest.files.items()}
    return {MANIFEST: own, **listed}


def _send_state(objects: Objects, write_state: Callable[[Path], None]) -> tuple[BlobEntry, dict[str, int]]:
    with tempfile.TemporaryDirectory(prefix="searchsocket-push-") as folder:
        path = Path(folder) / "state"
        write_state(path)
        with open(path, "rb") as file:
            entry = BlobEntry(sha256=hashlib.file_digest(file, "sha256").hexdigest(), bytes=path.stat().st_size)
        return entry, _send_missing(objects, Path(folder), {path.name: entry})


def _send_missing(objects: Objects, folder: Path, files: _Files) -> dict[str, int]:
    """Send files that are missing or of another size; returns digest -> bytes of the sent files."""
    paths = {entry.sha256: (folder / name, entry) for name, entry in files.items()}

    def is_missing(entry: BlobEntry) -> bool:
        return objects.size(blob_name(entry.sha256)) != entry.bytes

    def send(path: Path, entry: BlobEntry) -> None:
        with open(path, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                raise corrupt(path, "was changed after it was published")
        objects.put_file(blob_name(entry.sha256), path)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        missing = list(pool.map(is_missing, [entry for _, entry in paths.values()]))
        to_send = [pair for pair, gone in zip(paths.values(), missing, strict=True) if gone]
        list(pool.map(send, [path for path, _ in to_send], [entry for _, entry in to_send]))
    return {entry.sha256: entry.bytes for _, entry in to_send}


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
