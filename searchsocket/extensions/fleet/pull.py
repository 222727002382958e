"""Fetch a generation into a folder that the local store reads: pointer, missing files, switch."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from searchsocket.errors import (
    ArtifactInvalid,
    ArtifactsUnavailable,
    IndexCorrupt,
    ScopeNotIndexed,
    SearchSocketError,
    StateUnavailable,
)
from searchsocket.extensions.fleet.documents import (
    MAX_BYTES,
    BlobEntry,
    Description,
    Pointer,
    blob_name,
    description_name,
    parse_document,
    pointer_name,
    read_document,
)
from searchsocket.extensions.fleet.objects.base import ObjectMissing, Objects, read
from searchsocket.extensions.fleet.soundness import refuse_another, refuse_unsound
from searchsocket.stores.local.layout import (
    BUILDING,
    MANIFEST,
    REMOVED,
    Current,
    read_current,
    read_manifest,
    remove_leftovers,
    scope_folder,
    write_current,
)
from searchsocket.stores.local.ownership import Ownership
from searchsocket.system.errors import free_bytes, system_errors
from searchsocket.system.files import is_temporary, make_folder, sync, write_atomic
from searchsocket.system.locks import scope_lock
from searchsocket.types import Scope

_AT_ONCE = 4  # files under way; each has one block in memory
_TRIES = 3  # with a new pointer each, if files are deleted while they are fetched
_PARTIAL = ".tmp-pulled-"
DESCRIPTION = "artifact.json"  # beside CURRENT: the description of the generation that was fetched last


@dataclass(frozen=True, slots=True)
class Pulled:
    """Result of one pull."""

    scope: str
    generation: str
    is_new: bool  # whether it was switched to
    fetched_files: int = 0
    fetched_bytes: int = 0


def pull_scope(
    objects: Objects,
    root: Path,
    scope: Scope,
    *,
    max_bytes: int,
    lock_timeout_s: float = 0.0,
    make_room: Callable[[int], None] = lambda _: None,
) -> Pulled:
    """Download the live generation of a scope into the index folder `root`, and switch to it.

    Intact files that are there already are linked. Files of an interrupted pull are reused.

    Args:
        max_bytes: Size limit of a generation; a larger one is refused before anything is fetched.
        lock_timeout_s: Time to wait for another process that pulls the same scope.
        make_room: Called with the bytes of a generation before it is fetched.

    Raises:
        ScopeNotIndexed: Nothing was pushed for the scope.
        ArtifactsUnavailable: The object store cannot be reached, or lacks a file.
        ArtifactInvalid: The generation is damaged, of another format or too large; the local live one stays.
        ProjectMismatch: The generation belongs to another project.
        StateUnavailable: The folder cannot be written: full disk, read-only.
        ScopeLocked: Another process pulls the scope.
    """
    with scope_lock(root, scope.name, timeout_s=lock_timeout_s):
        for tries_left in reversed(range(_TRIES)):
            try:
                pointer = read_document(objects, pointer_name(scope.name), Pointer, scope.project_id)
            except ObjectMissing as error:
                raise ScopeNotIndexed(scope.name) from error
            if not pointer.generation:  # its first run has not published yet
                raise ScopeNotIndexed(scope.name)
            if pointer.scope != scope.name:
                raise ArtifactInvalid(f"{objects.address}: the pointer belongs to another scope than {scope.name!r}")
            try:
                return _Pull(objects, root, scope, max_bytes, make_room).run(pointer)
            except ObjectMissing:
                # A prune after a newer push deletes files of the old pointer. If not, the object store lost one.
                if not tries_left:
                    raise
    raise AssertionError


def fetched_description(root: Path, scope: Scope) -> bytes | None:
    """The description of the last pulled generation of a scope; None if there is none."""
    with suppress(FileNotFoundError):
        return (scope_folder(root, scope.name) / DESCRIPTION).read_bytes()
    return None


class _Pull:
    """One try to pull one scope; the caller has the scope's lock."""

    def __init__(
        self, objects: Objects, root: Path, scope: Scope, max_bytes: int, make_room: Callable[[int], None]
    ) -> None:
        self._objects = objects
        self._root = root
        self._scope = scope
        self._max_bytes = max_bytes
        self._make_room = make_room
        self._folder = scope_folder(root, scope.name)
        self._origin = f"{objects.address}: generation of scope {scope.name!r}"

    def run(self, pointer: Pointer) -> Pulled:
        current = self._current()
        if current and self._is_here(current.live, pointer):
            with suppress(OSError):
                os.utime(self._folder / DESCRIPTION)  # records when the copy was used last
            return Pulled(self._scope.name, pointer.generation, is_new=False)
        text, description = self._description(pointer)
        self._make_room(description.total_bytes)
        with system_errors("cannot write the index in", self._folder):
            Ownership(self._root, self._scope.project_id).claim()
            make_folder(self._folder)
            sent = self._bring(description, pointer, current)
            # First, so that a crash before the switch only makes the next pull look again.
            write_atomic(self._folder / DESCRIPTION, text)
            now = _after(current, pointer.generation)
            write_current(self._folder, now)
            remove_leftovers(self._folder, now)
        return Pulled(self._scope.name, pointer.generation, True, len(sent), sum(entry.bytes for entry in sent))

    def _current(self) -> Current | None:
        with suppress(IndexCorrupt):  # only fetched files are lost
            return read_current(self._folder)
        return None

    def _is_here(self, live: str, pointer: Pointer) -> bool:
        """Return True if the local live generation is the one in the pointer."""
        text = fetched_description(self._root, self._scope)
        if live != pointer.generation or text is None or hashlib.sha256(text).hexdigest() != pointer.description:
            return False
        return (self._folder / live / MANIFEST).exists()

    def _description(self, pointer: Pointer) -> tuple[bytes, Description]:
        """The description that the pointer names."""
        name = description_name(pointer.scope, pointer.generation, pointer.description)
        text, where = read(self._objects, name, MAX_BYTES), f"{self._objects.address}: {name}"
        if hashlib.sha256(text).hexdigest() != pointer.description:
            raise ArtifactInvalid(f"{where} differs from the pushed file")
        description = parse_document(text, Description, where, self._scope.project_id)
        if (description.scope, description.generation) != (pointer.scope, pointer.generation):
            raise ArtifactInvalid(f"{where} describes another generation")
        manifest = description.files.get(MANIFEST)
        if manifest is None or manifest.bytes > MAX_BYTES:
            raise ArtifactInvalid(f"{where} has no {MANIFEST} of a valid size")
        if description.total_bytes > self._max_bytes:
            raise ArtifactInvalid(
                f"{self._origin} needs {description.total_bytes / 1e6:,.0f} MB, more than artifacts.max_mb "
                f"({self._max_bytes / 1e6:,.0f})"
            )
        return text, description

    def _bring(self, description: Description, pointer: Pointer, current: Current | None) -> list[BlobEntry]:
        """Put the whole generation under its name, and return the files that were fetched for it."""
        target = self._folder / pointer.generation
        if target.exists() and self._is_whole(target, description):
            return []
        building = self._folder / f"{BUILDING}{pointer.description[:16]}"
        self._sweep(building)
        make_folder(building)
        self._link_present(building, description, current)
        missing = {name: entry for name, entry in description.files.items() if not (building / name).exists()}
        self._refuse_what_does_not_fit(missing)
        if MANIFEST in missing:
            fetch_blob(self._objects, building / MANIFEST, missing[MANIFEST])
        refuse_another(building, description, self._origin)
        self._fetch_all(building, {name: entry for name, entry in missing.items() if name != MANIFEST})
        refuse_unsound(building, self._origin)
        for folder in {(building / name).parent for name in description.files}:
            sync(folder)
        if target.exists():  # another generation of the same name, or a damaged one
            shutil.rmtree(self._folder / f"{REMOVED}{pointer.generation}", ignore_errors=True)
            os.replace(target, self._folder / f"{REMOVED}{pointer.generation}")
        os.replace(building, target)
        sync(self._folder)
        return list(missing.values())

    def _sweep(self, building: Path) -> None:
        """Remove leftovers of other pulls, and partial files of the last pull of this generation."""
        for entry in self._folder.glob(f"{BUILDING}*"):
            if entry != building:
                shutil.rmtree(entry, ignore_errors=True)
        for path in building.rglob(f"{_PARTIAL}*") if building.exists() else ():
            path.unlink(missing_ok=True)
        for path in self._folder.iterdir():
            if is_temporary(path):
                path.unlink(missing_ok=True)

    def _is_whole(self, target: Path, description: Description) -> bool:
        return all(_holds(target / name, entry) for name, entry in description.files.items())

    def _link_present(self, building: Path, description: Description, current: Current | None) -> None:
        """Link files that exist locally: of kept generations, of other scopes, and of an interrupted pull."""
        present = dict(self._present_files(current))
        for name, entry in description.files.items():
            path = building / name
            make_folder(path.parent)
            if path.exists():
                if _holds(path, entry):
                    continue
                path.unlink()
            source = present.get(entry.sha256)
            if source is not None and _holds(source, entry):
                with suppress(OSError):  # a file system without hard links: it is fetched
                    os.link(source, path)

    def _present_files(self, current: Current | None) -> Iterator[tuple[str, Path]]:
        """Files of other scopes, which share packs, then those of this scope, which win if both have a file."""
        referenced = [self._folder / name for name in (current.previous, current.live) if name] if current else []
        for generation in (*self._other_generations(), *referenced):
            with suppress(FileNotFoundError, SearchSocketError):
                for file, entry in read_manifest(generation).files.items():
                    yield entry.sha256, generation / file

    def _other_generations(self) -> Iterator[Path]:
        for folder in sorted(self._root.iterdir()):
            if folder != self._folder and folder.is_dir():
                with suppress(SearchSocketError):
                    if other := read_current(folder):
                        yield folder / other.live

    def _refuse_what_does_not_fit(self, missing: dict[str, BlobEntry]) -> None:
        size = sum(entry.bytes for entry in missing.values())
        if size > (free := free_bytes(self._folder)):
            raise StateUnavailable(
                f"{self._origin} needs {size / 1e6:,.1f} MB more, but {self._folder} has {free / 1e6:,.1f} MB free"
            )

    def _fetch_all(self, building: Path, files: dict[str, BlobEntry]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            fetching = [pool.submit(fetch_blob, self._objects, building / name, entry) for name, entry in files.items()]
            try:
                for future in fetching:
                    future.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


def fetch_blob(objects: Objects, path: Path, entry: BlobEntry) -> None:
    """Download one file, whole or not at all.

    Raises:
        ArtifactsUnavailable, ArtifactInvalid: It cannot be downloaded, or has other bytes.
        OSError: It cannot be written.
    """
    name = blob_name(entry.sha256)
    digest, remaining = hashlib.sha256(), entry.bytes
    partial = path.with_name(f"{_PARTIAL}{path.name}")
    try:
        with open(partial, "wb") as file, closing(objects.stream(name)) as blocks:  # type: ignore[type-var]
            for block in blocks:
                remaining -= len(block)
                if remaining < 0:
                    raise ArtifactInvalid(f"{objects.address}: {name} is longer than {entry.bytes:,} bytes")
                digest.update(block)
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        if remaining:
            raise ArtifactsUnavailable(
                f"{objects.address}: {name} is incomplete: {remaining:,} of {entry.bytes:,} bytes are missing"
            )
        if digest.hexdigest() != entry.sha256:
            raise ArtifactInvalid(f"{objects.address}: {name} is damaged: its checksum does not match")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _after(current: Current | None, live: str) -> Current:
    """The new value of CURRENT; the present live generation becomes the previous one, for rollback."""
    if current is None:
        return Current(live)
    return Current(live, current.previous if current.live == live else current.live)


def _holds(path: Path, entry: BlobEntry) -> bool:
    """Return True if a file has the expected bytes."""
    try:
        if path.stat().st_size != entry.bytes:
            return False
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
    except (FileNotFoundError, NotADirectoryError):
        return False
