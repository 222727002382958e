"""Send a generation: missing files, then its description, then the scope's pointer."""

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from searchsocket.errors import ArtifactInvalid
from searchsocket.extensions.fleet.documents import (
    PROJECT,
    BlobEntry,
    D,
    Description,
    Pointer,
    ProjectDocument,
    blob_name,
    description_name,
    read_document,
)
from searchsocket.extensions.fleet.objects.base import ObjectMissing, Objects
from searchsocket.extensions.fleet.scope_lease import ScopeLease
from searchsocket.stores.local.layout import MANIFEST, Manifest, corrupt, read_manifest
from searchsocket.system.json_text import JsonObject

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
        settings: Settings to send with it, see `carried.py`.
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
