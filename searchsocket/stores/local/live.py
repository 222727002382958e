"""Live generations of an index, opened for readers."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from searchsocket.errors import (
    GenerationNotKept,
    IndexCorrupt,
    ProjectMismatch,
    ScopeNotIndexed,
    SearchSocketError,
    VectorBackendUnavailable,
)
from searchsocket.stores.base.vector_store import CANDIDATE, LIVE, PREVIOUS, Answering
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.layout import (
    MANIFEST,
    REFUSED,
    VERIFIED,
    Manifest,
    Stamps,
    corrupt,
    file_stamps,
    read_current,
    read_manifest,
    scope_folder,
)
from searchsocket.stores.local.open_readers import MAX_OPEN_TRIES, MemoryBudget, OpenReaders
from searchsocket.stores.local.ownership import Ownership
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.vectors.parts import VectorPart
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic
from searchsocket.text.synonyms import SynonymSource
from searchsocket.types import Generation, Scope

_MAX_GENERATIONS = 64
_TICK_NS = 50_000_000  # a file as new as this may be written again at the same time of the file system
_MAX_FOLDERS = 1_024


class VerifiedGenerations:
    """Folders of generations whose files have not changed since they were verified; safe to share between threads."""

    def __init__(self) -> None:
        self._stamps = BoundedCache[Path, Stamps](_MAX_GENERATIONS)

    def add(self, generation: Path) -> bool:
        """Remember a generation; return False if one of its files is too new to tell whether it will change."""
        stamps = file_stamps(generation)
        is_settled = max(written_ns for _, _, written_ns, _ in stamps) < time.time_ns() - _TICK_NS
        if is_settled:
            self._stamps.remember_one(generation, stamps)
        return is_settled

    def __contains__(self, generation: Path) -> bool:
        """Return True if the generation was added and has the same files."""
        stamps = self._stamps.values.get(generation)
        return stamps is not None and stamps == file_stamps(generation)


def note_verified(generation: Path) -> None:
    """Tell later runs that a generation was verified; they compare the stamps of its files.

    Raises:
        StateUnavailable: The disk is full or cannot be written.
    """
    # Not synced: what a power cut leaves of it names no generation, and the next run reads the files.
    write_atomic(generation.with_name(VERIFIED), _verified_line(generation), durable=False)


def was_verified(generation: Path) -> bool:
    """Return True if an earlier run verified a generation and its files have not changed since."""
    try:
        return generation.with_name(VERIFIED).read_bytes() == _verified_line(generation)
    except OSError:
        return False


def _verified_line(generation: Path) -> bytes:
    stamps = repr(sorted(file_stamps(generation)))
    return f"{generation.name} {hashlib.sha256(os.fsencode(stamps)).hexdigest()}\n".encode()


class LiveGenerations:
    """Implements `Catalogue` and `Readers` on a folder of this machine; writes nothing."""

    def __init__(
        self,
        root: Path,
        project_id: str,
        synonyms: SynonymSource,
        vectors: VectorPart,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create it without reading files; see `LocalStore` for the arguments."""
        self.root = root
        self.synonyms = synonyms
        self.vectors = vectors
        self.ownership = Ownership(root, project_id)
        self.verified = VerifiedGenerations()
        self._project_id = project_id
        self._folders = BoundedCache[str, Path](_MAX_FOLDERS)  # every query needs one
        self._readers = OpenReaders(self._open_live, monotonic)

    def folder(self, scope: Scope) -> Path:
        """The folder of a scope.

        Raises:
            ProjectMismatch: The scope, or the folder of the index, is another project's.
            InvalidScope: The scope's name is not sanitised.
        """
        if scope.project_id == self._project_id and (newest := self._folders.values.get(scope.name)):
            return newest
        if scope.project_id != self._project_id:
            raise ProjectMismatch(f"scope {scope.id!r} does not belong to project {self._project_id!r}")
        is_ours = self.ownership.check()
        folder = scope_folder(self.root, scope.name)
        if is_ours:
            self._folders.remember_one(scope.name, folder)
        return folder

    def open(self, generation: Path, *, trusted: bool = False, max_read_bytes: int = 0) -> LocalReader:
        """Open a generation's folder, see `LocalReader`.

        Raises:
            ProjectMismatch: It is another project's.
        """
        trusted = trusted or generation in self.verified
        try:
            reader = LocalReader(
                generation, self.vectors, trusted=trusted, synonyms=self.synonyms, max_read_bytes=max_read_bytes
            )
        except FileNotFoundError:
            raise
        except OSError as error:
            raise system_error("cannot read", generation, error, VectorBackendUnavailable) from error
        self.ownership.checked(reader.manifest)
        return reader

    def _open_live(self, generation: Path, max_read_bytes: int | None) -> LocalReader:
        if max_read_bytes is None:  # a run: hashing all files would take longer than all else that an edit needs
            return self.open(generation, trusted=was_verified(generation))
        return self.open(generation, max_read_bytes=max_read_bytes)

    def generation(self, scope: Scope) -> Generation | None:
        """Return the live generation of a scope; None if nothing was published."""
        manifest = self.manifest(scope)
        return manifest.generation if manifest else None

    def manifest(self, scope: Scope) -> Manifest | None:
        """The manifest of the live generation; raises the same errors as `generation`."""
        folder = self.folder(scope)
        for _ in range(MAX_OPEN_TRIES):
            current = read_current(folder)
            if current is None:
                return None
            try:
                return self.ownership.checked(read_manifest(folder / current.live))
            except FileNotFoundError as error:
                if read_current(folder) == current:
                    raise corrupt(folder / current.live / MANIFEST, "is missing") from error
        raise VectorBackendUnavailable(f"{folder} changed during every attempt to read it")

    def generations(self, scope: Scope) -> list[Generation]:
        """The live and the previous generation, except missing and damaged ones."""
        folder = self.folder(scope)
        current = read_current(folder)
        generations: list[Generation] = []
        for name in (current.live, current.previous) if current else ():
            with suppress(FileNotFoundError, IndexCorrupt):
                generations += [read_manifest(folder / name).generation] if name else []
        return generations

    def reader_of(self, scope: Scope, generation: str) -> LocalReader:
        """Open a kept generation by its name, for comparisons; raises `GenerationNotKept`."""
        folder = self.folder(scope)
        current = read_current(folder)
        roles = {LIVE: current.live, PREVIOUS: current.previous} if current else {}
        roles = {name: target for name, target in roles.items() if target}
        with suppress(FileNotFoundError):
            roles[CANDIDATE] = read_manifest(folder / REFUSED).generation.name
        names = {**roles, **{target: target for target in roles.values()}}
        if (name := names.get(generation)) is None:
            raise GenerationNotKept(scope.name, generation, [f"{what} ({named})" for what, named in roles.items()])
        target = folder / (REFUSED if name == roles.get(CANDIDATE) else name)
        try:
            return self.open(target)
        except FileNotFoundError as error:
            raise corrupt(Path(error.filename or target), "is missing") from error

    def list_scopes(self) -> list[Generation]:
        """Return the live generation of every scope of this project, by name."""
        return [generation for _, generation in self.scopes() if isinstance(generation, Generation)]

    def scopes(self) -> list[tuple[str, Generation | SearchSocketError]]:
        """Every published scope by name; one that is damaged does not hide the others."""
        self.ownership.check()
        try:
            names = sorted(entry.name for entry in os.scandir(self.root) if entry.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise system_error("cannot read", self.root, error, VectorBackendUnavailable) from error
        scopes: list[tuple[str, Generation | SearchSocketError]] = []
        for name in names:
            if name.startswith("."):
                continue
            try:
                generation = self.generation(Scope(self._project_id, name))
            except SearchSocketError as error:
                scopes.append((name, error))
            else:
                if generation is not None:
                    scopes.append((name, generation))
        return scopes

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """Yield (id, record_hash) of every live record, by rising id."""
        try:
            reader = self.live(scope)
        except ScopeNotIndexed:
            return
        yield from reader.numbering.all_fingerprints()

    def record_hashes(self, scope: Scope) -> bytes:
        """Return the record hash of every live record, 32 bytes each, in any order; empty if nothing was published."""
        try:
            return self.live(scope).numbering.names.hashes.tobytes()
        except ScopeNotIndexed:
            return b""

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """Yield (url, digest) of the text of every live page that has one, by rising URL."""
        try:
            reader = self.reader(scope)
        except ScopeNotIndexed:
            return
        yield from reader.catalogue.body_digests()

    def hold(self, scope: Scope, reader: LocalReader) -> None:
        """Use an open reader of the generation that just became live; it need not be opened again."""
        self._readers.hold(scope, self.folder(scope), reader)

    def live(self, scope: Scope) -> LocalReader:
        """The live generation only; raises the same errors as `reader`."""
        return self._readers.live(scope, self.folder(scope))

    def reader(self, scope: Scope) -> LocalReader:
        """Return a snapshot of the live generation; while one thread opens a new one, others get the one before."""
        return self._readers.newest(scope, self.folder(scope))

    def open_reader(self, scope: Scope) -> LocalReader | None:
        """Return the live generation if it is open already, else None; opens nothing."""
        return self._readers.open_reader(scope, self.folder(scope))

    def answering(self, scope: Scope) -> Answering:
        """Return the source of the answers of `reader`; opens nothing."""
        last = self._readers.last(scope)
        try:
            folder = self.folder(scope)
            if reader := self._readers.open_reader(scope, folder):
                return Answering(reader.generation)
            if failure := self._readers.failure(scope, folder):
                raise failure
            live = self.generation(scope)
        except SearchSocketError as error:
            if last is None:
                raise
            return Answering(last.generation, error)
        if live is None:
            raise ScopeNotIndexed(scope.name)
        return Answering(live)

    def refresh(self) -> list[SearchSocketError]:
        """Switch every open scope to its newest generation; return errors of those that cannot be used."""
        return self._readers.refresh()

    def share_memory(self, memory: MemoryBudget) -> None:
        """Count open scopes in a budget that other stores share; the least recently used are closed above it."""
        self._readers.share(memory)

    def close_readers(self) -> None:
        """Release the files of all scopes; queries that still read them can finish."""
        self._readers.close()

    def forget(self, scope: Scope) -> None:
        """Release the files of a scope; queries that still read them can finish."""
        self._readers.forget(scope)
