"""The embedded index: a folder of immutable generations a scope, and one file that names the live one (spec 12.4)."""

import os
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from searchsocket.errors import (
    IndexCorrupt,
    InvalidScope,
    NoGenerationBefore,
    PermissionDenied,
    ProjectMismatch,
    ScopeNotIndexed,
    SearchSocketError,
    StateUnavailable,
    VectorBackendUnavailable,
)
from searchsocket.stores.base import Answering, Health, PageBody, PublishInfo
from searchsocket.stores.local.build.build import Built, build, check_model, drop_unchanged
from searchsocket.stores.local.layout import (
    BUILDING,
    CURRENT,
    FORMAT,
    MANIFEST,
    Current,
    Manifest,
    corrupt,
    damage_of,
    generation_name,
    manifest_bytes,
    overwrite_current,
    read_current,
    read_manifest,
    remove_leftovers,
    scope_folder,
    write_current,
    writing,
)
from searchsocket.stores.local.open_readers import MAX_OPEN_TRIES, OpenReaders
from searchsocket.stores.local.ownership import Ownership
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging, discard
from searchsocket.stores.local.verify import (
    all_fingerprints,
    file_problems,
    hash_files,
    part_problems,
    record_problems,
    share_files,
    sync_files,
)
from searchsocket.system.errors import client_error, system_error
from searchsocket.system.files import sync_directory, write_atomic
from searchsocket.system.locks import scope_lock
from searchsocket.text.synonyms import NO_SYNONYMS, Synonyms
from searchsocket.types import Generation, Record, Scope, Vectors


def _utc_now() -> datetime:
    return datetime.now(UTC)


class LocalStore:
    """Implements `VectorStore` on a folder of this machine."""

    def __init__(
        self,
        root: Path,
        project_id: str,
        *,
        max_records: int = 200_000,
        synonyms: Synonyms = NO_SYNONYMS,
        clock: Callable[[], datetime] = _utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Touches nothing yet.

        Args:
            root: Folder of the index; made by the first write.
            project_id: Whose index it is; a folder belongs to one project.
            max_records: Scopes above it are reported by `health`, since brute force becomes slow.
            synonyms: What else the words of a query look for; the index holds nothing of them.
            clock: Names generations.
            monotonic: Says when what could not be opened is tried again.
        """
        self._root = root
        self._project_id = project_id
        self._max_records = max_records
        self._synonyms = synonyms
        self._clock = clock
        self._ownership = Ownership(root, project_id)
        self._lock = threading.Lock()
        self._readers = OpenReaders(self._open_held, monotonic)
        self._staging: dict[str, Staging] = {}

    # Writing

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        """See `VectorStore.upsert`."""
        for record in records:
            if record.project_id != self._project_id:
                raise ProjectMismatch(f"record of project {record.project_id!r} in the index of {self._project_id!r}")
            if record.scope != scope.name:
                raise InvalidScope(f"record of scope {record.scope!r} in scope {scope.name!r}")
        with self._staged(scope) as staging:
            staging.upsert(records, vectors)

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None:
        """See `VectorStore.delete_by_ids`."""
        with self._staged(scope) as staging:
            staging.delete(ids)

    def put_bodies(self, bodies: Sequence[PageBody], scope: Scope) -> None:
        """See `VectorStore.put_bodies`."""
        with self._staged(scope) as staging:
            staging.put_bodies(bodies)

    def publish(
        self, scope: Scope, info: PublishInfo, *, before_switch: Callable[[], object] = lambda: None
    ) -> Generation:
        """See `VectorStore.publish`."""
        folder = self._folder(scope)
        with self._staged(scope) as staging, scope_lock(self._root, scope.name):
            current = read_current(folder)
            live = self._readers.live(scope, folder) if current else None
            if live is not None:
                share_files(live.folder)
            remove_leftovers(folder, current)
            if live is not None:
                drop_unchanged(staging, live)
            check_model(staging, live, info)
            if live is not None and _is_same(staging, live, info):
                published = live.generation
            else:
                try:
                    published = self._build(scope, staging, live, info)
                    before_switch()
                    write_current(folder, Current(published.name, current.live if current else ""))
                finally:
                    remove_leftovers(folder, read_current(folder))
        self.discard(scope)
        return published

    def _build(self, scope: Scope, staging: Staging, live: LocalReader | None, info: PublishInfo) -> Generation:
        """Build beside the live generation, verify, and give the folder its final name; not yet live."""
        folder = self._folder(scope)
        target = folder / f"{BUILDING}{secrets.token_hex(6)}"
        try:
            built = build(target, staging, live, info)
            files = hash_files(target, built.hashed, live)
            name = generation_name(self._clock(), built.digest, live.generation.name if live else "")
            generation = self._describe(name, scope, built, info)
            manifest = Manifest(generation, built.max_doc, built.id_bytes, files)
            write_atomic(target / MANIFEST, manifest_bytes(manifest))
            reader = LocalReader(target, trusted=True)
            if problems := part_problems(reader):
                raise IndexCorrupt("the new generation is not published: " + "; ".join(problems))
            share_files(target)
            sync_files(target, files)
            os.replace(target, folder / name)
            sync_directory(folder)
        finally:
            shutil.rmtree(target, ignore_errors=True)
        return generation

    def _describe(self, name: str, scope: Scope, built: Built, info: PublishInfo) -> Generation:
        return Generation(
            name=name,
            scope=scope.name,
            project_id=self._project_id,
            model_id=info.model_id,
            dimensions=info.dimensions,
            published_at=info.published_at,
            records=built.records,
            pages=built.pages,
            digest=built.digest,
            routes=built.routes,
            estimated_tokens=info.estimated_tokens,
            estimated_cost_usd=info.estimated_cost_usd,
            source_revision=info.source_revision,
            bodies=built.bodies.pages,
            bodies_digest=built.bodies.digest,
        )

    def discard(self, scope: Scope) -> None:
        """See `VectorStore.discard`."""
        folder = self._folder(scope)
        with self._lock:
            if staging := self._staging.pop(scope.name, None):
                staging.close()
            with writing(folder):
                discard(folder)

    def rollback(self, scope: Scope) -> Generation:
        """See `VectorStore.rollback`."""
        folder = self._folder(scope)
        with scope_lock(self._root, scope.name):
            current = read_current(folder)
            if current is None:
                raise ScopeNotIndexed(scope.name)
            if not current.previous:
                raise NoGenerationBefore(scope.name)
            previous = self._open(folder / current.previous)
            try:
                write_current(folder, Current(current.previous))
            except StateUnavailable:  # a disk that is full lets nobody make a file
                overwrite_current(folder, Current(current.previous))
        return previous.generation

    def repair(self, scope: Scope) -> list[str]:
        """See `VectorStore.repair`."""
        told = self._ownership.repair()
        folder = self._folder(scope)
        with scope_lock(self._root, scope.name), writing(folder):
            try:
                current = read_current(folder)
            except IndexCorrupt as error:
                told.append(damage_of(error))
                current = None
                _unpublish(folder)
            if current and (damage := self._damage(folder / current.live)):
                told.append(damage)
                if current.previous and not self._damage(folder / current.previous):
                    write_current(folder, Current(current.previous))
                else:
                    _unpublish(folder)
        return told

    def _damage(self, generation: Path) -> str:
        """What keeps a generation from being opened."""
        try:
            self._open(generation)
        except FileNotFoundError as error:
            return f"{error.filename or generation} is missing"
        except IndexCorrupt as error:
            return damage_of(error)
        return ""

    def delete_scope(self, scope: Scope) -> None:
        """See `VectorStore.delete_scope`."""
        folder = self._folder(scope)
        with writing(folder):
            if not folder.exists():
                return
        self.discard(scope)
        with scope_lock(self._root, scope.name), writing(folder):
            _unpublish(folder)
            shutil.rmtree(folder)
        self._readers.forget(scope)

    @contextmanager
    def _staged(self, scope: Scope) -> Iterator[Staging]:
        folder = self._folder(scope)
        try:
            with self._lock:
                self._ownership.claim()
                staging = self._staging.get(scope.name) or Staging(folder)
                self._staging[scope.name] = staging
            yield staging
        except (OSError, sqlite3.OperationalError) as error:
            raise client_error("cannot write the index in", folder, error) from error
        except sqlite3.DatabaseError as error:
            raise StateUnavailable(f"what this run staged in {folder} is damaged ({error}); run it again") from error

    # Reading

    def generation(self, scope: Scope) -> Generation | None:
        """See `VectorStore.generation`."""
        folder = self._folder(scope)
        for _ in range(MAX_OPEN_TRIES):
            current = read_current(folder)
            if current is None:
                return None
            try:
                return self._ownership.checked(read_manifest(folder / current.live)).generation
            except FileNotFoundError as error:
                if read_current(folder) == current:
                    raise corrupt(folder / current.live / MANIFEST, "is missing") from error
        raise VectorBackendUnavailable(f"{folder} changes faster than it can be read")

    def reader(self, scope: Scope) -> LocalReader:
        """See `VectorStore.reader`. While one thread opens a new generation, the others answer from the one before."""
        return self._readers.newest(scope, self._folder(scope))

    def answering(self, scope: Scope) -> Answering:
        """See `VectorStore.answering`."""
        last = self._readers.last(scope)
        try:
            folder = self._folder(scope)
            if held := self._readers.held(scope, folder):
                return Answering(held.generation)
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
        """See `VectorStore.refresh`."""
        return self._readers.refresh()

    def held(self, scope: Scope) -> LocalReader | None:
        """See `VectorStore.held`."""
        return self._readers.held(scope, self._folder(scope))

    def _open_held(self, generation: Path, max_read_bytes: int) -> LocalReader:
        return self._open(generation, max_read_bytes=max_read_bytes)

    def _open(self, generation: Path, *, trusted: bool = False, max_read_bytes: int = 0) -> LocalReader:
        try:
            reader = LocalReader(generation, trusted=trusted, synonyms=self._synonyms, max_read_bytes=max_read_bytes)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise system_error("cannot read", generation, error, VectorBackendUnavailable) from error
        self._ownership.checked(reader.manifest)
        return reader

    def fingerprints(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """See `VectorStore.fingerprints`."""
        try:
            reader = self._readers.live(scope, self._folder(scope))
        except ScopeNotIndexed:
            return
        yield from all_fingerprints(reader)

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """See `VectorStore.body_digests`."""
        try:
            reader = self.reader(scope)
        except ScopeNotIndexed:
            return
        yield from reader.catalogue.body_digests()

    def list_scopes(self) -> list[Generation]:
        """See `VectorStore.list_scopes`."""
        return [found for _, found in self._scopes() if isinstance(found, Generation)]

    def verify(self, scope: Scope) -> list[str]:
        """See `VectorStore.verify`."""
        folder = self._folder(scope)
        problems: list[str] = []
        for _ in range(MAX_OPEN_TRIES):
            current = read_current(folder)
            problems = self._problems(folder / current.live) if current else []
            # What is removed while it is read is not damaged: another publish went by.
            if not problems or read_current(folder) == current:
                break
        return problems

    def _problems(self, generation: Path) -> list[str]:
        problems: list[str] = []
        try:
            manifest = self._ownership.checked(read_manifest(generation))
            problems = file_problems(generation, manifest)
            reader = self._open(generation, trusted=True)
            problems += record_problems(reader) + part_problems(reader)
        except FileNotFoundError as error:
            problems.append(str(corrupt(Path(error.filename or generation), "is missing")))
        except IndexCorrupt as error:
            problems.append(str(error))
        return problems

    def health(self) -> Health:
        """See `VectorStore.health`."""
        problems: list[str] = []
        notes: list[str] = []
        try:
            self._ownership.check()
            for name, found in self._scopes():
                if isinstance(found, SearchSocketError):
                    problems.append(f"scope {name!r}: {found}")
                elif found.records > self._max_records:
                    notes.append(
                        f"scope {name!r} holds {found.records} records; beyond vector.local.max_records "
                        f"({self._max_records}) brute force is slow"
                    )
        except PermissionDenied:
            raise
        except SearchSocketError as error:
            problems.append(str(error))
        if os.access(self._root, os.F_OK) and not os.access(self._root, os.W_OK):
            notes.append(f"{self._root} is read-only")
        return Health(not problems, "; ".join(problems + notes))

    def _scopes(self) -> list[tuple[str, Generation | SearchSocketError]]:
        """Every published scope by name; one that is damaged does not hide the others."""
        self._ownership.check()
        found: list[tuple[str, Generation | SearchSocketError]] = []
        try:
            names = sorted(entry.name for entry in os.scandir(self._root) if entry.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise system_error("cannot read", self._root, error, VectorBackendUnavailable) from error
        for name in names:
            if name.startswith("."):
                continue
            try:
                generation = self.generation(Scope(self._project_id, name))
            except SearchSocketError as error:
                found.append((name, error))
            else:
                if generation is not None:
                    found.append((name, generation))
        return found

    def _folder(self, scope: Scope) -> Path:
        if scope.project_id != self._project_id:
            raise ProjectMismatch(f"scope {scope.id!r} asked of the index of project {self._project_id!r}")
        self._ownership.check()
        return scope_folder(self._root, scope.name)


def _is_same(staging: Staging, live: LocalReader, info: PublishInfo) -> bool:
    """Whether publishing would change nothing; what an older version wrote is brought up to date."""
    is_changed = any(staging.counts()) or staging.holds_bodies() or live.generation.model_id != info.model_id
    return not is_changed and live.manifest.format == FORMAT


def _unpublish(folder: Path) -> None:
    """Without CURRENT nothing is live, so a crash from here on leaves only leftovers."""
    (folder / CURRENT).unlink(missing_ok=True)
    sync_directory(folder)
