"""The embedded index: a folder of immutable generations per scope, and one file that names the live one (spec 12.4)."""

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from searchsocket.errors import (
    CandidateRefused,
    IndexCorrupt,
    NoGenerationBefore,
    PermissionDenied,
    ProjectMismatch,
    ScopeNotIndexed,
    SearchSocketError,
    StateUnavailable,
    VectorBackendUnavailable,
)
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.vector_store import Gate, Health, PublishInfo, RecordRows, accept
from searchsocket.stores.base.vectors import NOT_KEPT, RecordVectors, ResyncReport, VectorIndex, VectorUpkeep
from searchsocket.stores.local.build.build import drop_remaining, drop_unchanged, refuse_two_models
from searchsocket.stores.local.build.candidate import build_candidate, drop_refused, is_same
from searchsocket.stores.local.catalogue.records import rows_of
from searchsocket.stores.local.layout import (
    Current,
    corrupt,
    damage_of,
    overwrite_current,
    read_current,
    read_manifest,
    remove_leftovers,
    unpublish,
    write_current,
    writing,
)
from searchsocket.stores.local.live import LiveGenerations, note_verified
from searchsocket.stores.local.open_readers import MAX_OPEN_TRIES
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging, discard
from searchsocket.stores.local.vectors.parts import IndexPart, MatrixPart
from searchsocket.stores.local.verify import (
    file_problems,
    part_problems,
    record_problems,
    share_files,
    word_problems,
)
from searchsocket.system.batches import batches
from searchsocket.system.errors import client_error
from searchsocket.system.locks import scope_lock
from searchsocket.text.synonyms import NO_SYNONYMS, SynonymSource
from searchsocket.types import Generation, Record, Renamed, Scope, Vector, Vectors

_BATCH = 500


def _utc_now() -> datetime:
    return datetime.now(UTC)


class LocalStore(LiveGenerations):
    """Implements `VectorStore` on a folder of this machine."""

    def __init__(
        self,
        root: Path,
        project_id: str,
        *,
        max_records: int = 200_000,
        vectors: VectorIndex | None = None,
        synonyms: SynonymSource | None = None,
        clock: Callable[[], datetime] = _utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create the store without reading or writing files.

        Args:
            root: Folder of the index; created by the first write.
            project_id: The project that owns the index; a folder belongs to one project.
            max_records: `health` reports larger scopes, since brute force becomes slow.
            vectors: The index of the vectors; None = in the folder.
            synonyms: Synonyms of query words. They are not stored in the index.
            clock: Gives the time in the names of generations.
            monotonic: Clock for the pauses before a damaged generation is opened again.
        """
        source = NO_SYNONYMS if synonyms is None else synonyms
        super().__init__(root, project_id, source, IndexPart(vectors) if vectors else MatrixPart(), monotonic)
        self._max_records = max_records
        self._clock = clock
        self._lock = threading.Lock()
        self._staging: dict[str, Staging] = {}

    def upsert(self, records: Sequence[Record], vectors: Vectors, scope: Scope) -> None:
        """Stage records with their vectors, row by row; the last call for an id wins."""
        self.upsert_rows(rows_of(records, scope, self._project_id), vectors, scope)

    def upsert_rows(self, rows: RecordRows, vectors: Vectors, scope: Scope) -> None:
        """Stage records whose rows are already made, with their vectors."""
        with self._staged(scope) as staging:
            staging.upsert(rows, vectors)

    def delete_by_ids(self, ids: Sequence[str], scope: Scope) -> None:
        """Stage the deletion of records; unknown ids are no error."""
        with self._staged(scope) as staging:
            staging.delete(ids)

    def copy_from_scope(self, records: Sequence[Renamed], origin: Scope, scope: Scope) -> list[str]:
        """Stage copies of records of another scope and return their ids; none if vectors are remote."""
        if self.vectors.upkeep is not None or read_current(self.folder(scope)) is not None:
            return []
        with self._staged(scope) as staging:
            if not staging.origin_was_tried:
                # Without a readable generation of this project to reuse, everything is built.
                with suppress(FileNotFoundError, IndexCorrupt, ProjectMismatch):
                    folder = self.folder(origin)
                    current = read_current(folder)
                    staging.begin_from(folder / current.live if current else folder, self.open)
            return staging.copy_from_scope(records)

    def stage_bodies(self, bodies: Sequence[PageBody], scope: Scope) -> None:
        """Stage the texts of pages; the last call for a URL wins."""
        with self._staged(scope) as staging:
            staging.stage_bodies(bodies)

    def body_digests(self, scope: Scope) -> Iterator[tuple[str, str]]:
        """Yield (url, digest) of the text of every live page that has one, by rising URL."""
        staging = self._staging.get(scope.name)
        if staging is not None and staging.origin is not None:
            return staging.origin.catalogue.body_digests()
        return super().body_digests(scope)

    def publish(self, scope: Scope, info: PublishInfo, *, gate: Gate = accept) -> Generation:
        """Build a generation from the live one and the staged changes, verify it, and switch to it."""
        folder = self.folder(scope)
        with self._staged(scope) as staging, scope_lock(self.root, scope.name):
            current = read_current(folder)
            live = self.live(scope) if current else None
            if live is not None:
                share_files(live.folder)
            remove_leftovers(folder, current)
            before = live or staging.origin
            if live is not None:
                drop_unchanged(staging, live, self.vectors)
            elif staging.origin is not None:
                drop_remaining(staging, staging.origin)
            refuse_two_models(staging, before, info)
            if live is not None and is_same(staging, live, info):
                published = live.generation
                if drop_refused(folder):  # the site equals the live generation again
                    self.vectors.retain(scope, self.generations(scope))
            else:
                # First remove remote rows that a dead run or a rollback has left.
                generations = self.generations(scope)
                self.vectors.retain(scope, generations)
                try:
                    published, reader = build_candidate(
                        folder,
                        scope,
                        staging,
                        before,
                        info,
                        vectors=self.vectors,
                        now=self._clock(),
                        open_generation=self._open_built,
                        gate=gate,
                    )
                    write_current(folder, Current(published.name, current.live if current else ""))
                except CandidateRefused:
                    raise  # its remote rows stay too; readers of other generations do not see them
                except BaseException:
                    with suppress(VectorBackendUnavailable):  # the next run repeats this first
                        self.vectors.retain(scope, generations)
                    raise
                finally:
                    remove_leftovers(folder, read_current(folder))
                if not reader.vectors.limits.is_remote:  # else it may show the candidate in another way
                    self.hold(scope, reader)
                if self.verified.add(folder / published.name):
                    with suppress(SearchSocketError):  # the switch has happened
                        note_verified(folder / published.name)
        self.discard(scope)
        return published

    def discard(self, scope: Scope) -> None:
        """Delete all staged changes of a scope."""
        folder = self.folder(scope)
        with self._lock:
            if staging := self._staging.pop(scope.name, None):
                staging.close()
            with writing(folder):
                discard(folder)

    def rollback(self, scope: Scope) -> Generation:
        """Switch back to the previous generation, and return it."""
        folder = self.folder(scope)
        with scope_lock(self.root, scope.name):
            current = read_current(folder)
            if current is None:
                raise ScopeNotIndexed(scope.name)
            if not current.previous:
                raise NoGenerationBefore(scope.name)
            previous = self.open(folder / current.previous)
            try:
                write_current(folder, Current(current.previous))
            except StateUnavailable:  # no new file fits on a full disk
                overwrite_current(folder, Current(current.previous))
        return previous.generation

    def delete_scope(self, scope: Scope) -> None:
        """Remove every generation of exactly this scope."""
        folder = self.folder(scope)
        with writing(folder):
            if not folder.exists():
                return
        self.discard(scope)
        with scope_lock(self.root, scope.name), writing(folder):
            unpublish(folder)
            self.vectors.retain(scope, [])
            shutil.rmtree(folder)
        self.forget(scope)

    def verify(self, scope: Scope) -> list[str]:
        """Read the live generation in full, and return its damage; empty if it is intact."""
        return verify(self, scope)

    def repair(self, scope: Scope) -> list[str]:
        """Take a damaged live generation out of service, and return its damage; empty if there was none."""
        return repair(self, scope)

    @property
    def remote_index(self) -> VectorUpkeep | None:
        """Return the index on another machine that stores the vectors; None if they are local."""
        return self.vectors.upkeep

    def resync(self, scope: Scope, vectors: RecordVectors) -> ResyncReport:
        """Delete all remote rows of a scope and write those of its kept generations again; embeds nothing."""
        with scope_lock(self.root, scope.name):
            return resync(self, scope, vectors)

    def health(self) -> Health:
        """Check that the store and its folder can be read and written."""
        return health(self, self._max_records)

    def _open_built(self, folder: Path) -> LocalReader:
        return self.open(folder, trusted=True)

    @contextmanager
    def _staged(self, scope: Scope) -> Iterator[Staging]:
        folder = self.folder(scope)
        try:
            with self._lock:
                self.ownership.claim()
                staging = self._staging.get(scope.name) or Staging(folder)
                self._staging[scope.name] = staging
            yield staging
        except (OSError, sqlite3.OperationalError) as error:
            raise client_error("cannot write the index in", folder, error) from error
        except sqlite3.DatabaseError as error:
            raise StateUnavailable(f"the staged data in {folder} is damaged ({error}); run again") from error


def verify(live: LiveGenerations, scope: Scope) -> list[str]:
    """Read the live generation in full, and return its damage; empty if it is intact."""
    folder = live.folder(scope)
    problems: list[str] = []
    for _ in range(MAX_OPEN_TRIES):
        current = read_current(folder)
        problems = _problems(live, folder / current.live) if current else []
        # Files that another publish removes during the check are not damage.
        if not problems or read_current(folder) == current:
            break
    return problems


def repair(live: LiveGenerations, scope: Scope) -> list[str]:
    """Take a damaged live generation out of service, and return its damage; empty if there was none."""
    damages = live.ownership.repair()
    folder = live.folder(scope)
    with scope_lock(live.root, scope.name), writing(folder):
        try:
            current = read_current(folder)
        except IndexCorrupt as error:
            damages.append(damage_of(error))
            current = None
            unpublish(folder)
        if current and (damage := _damage(live, folder / current.live)):
            damages.append(damage)
            if current.previous and not _damage(live, folder / current.previous):
                write_current(folder, Current(current.previous))
            else:
                unpublish(folder)
    return damages


def resync(live: LiveGenerations, scope: Scope, vectors: RecordVectors) -> ResyncReport:
    """Delete all remote rows of a scope and write those of its kept generations again; embeds nothing."""
    if live.vectors.upkeep is None:
        return ResyncReport()
    names = sorted(generation.name for generation in live.generations(scope))
    readers = [live.open(live.folder(scope) / name) for name in names]
    pairs = list(zip(readers, [None, *readers], strict=False))
    rows = missing = 0
    for reader, before in pairs:
        for records in _new_records(reader, before):
            rows += len(records)
            missing += vectors.missing(records)
    if missing:
        return ResyncReport(missing_vectors=missing)
    live.vectors.retain(scope, [])
    for reader, before in pairs:
        live.vectors.stage(reader.generation, _upserts(reader, before, vectors), _removed_ids(reader, before))
    return ResyncReport(rows)


def _new_records(reader: LocalReader, before: LocalReader | None) -> Iterator[Sequence[Record]]:
    """The records with remote rows written after the generation `before`, in batches; all if it is None."""
    newest = generation_number(before.generation.name) if before else -1
    for ids in batches((id_ for id_, _ in reader.numbering.all_fingerprints()), _BATCH):
        numbers = reader.written(ids)
        if new := [id_ for id_, number in zip(ids, numbers, strict=True) if number > newest]:
            yield reader.catalogue.records(new)


def _upserts(
    reader: LocalReader, before: LocalReader | None, vectors: RecordVectors
) -> Iterator[tuple[Record, Vector]]:
    for records in _new_records(reader, before):
        yield from zip(records, vectors.get(records), strict=True)


def _removed_ids(reader: LocalReader, before: LocalReader | None) -> Iterator[str]:
    """The ids that the generation `before` has and this one does not have."""
    for ids in batches((id_ for id_, _ in before.numbering.all_fingerprints()) if before else (), _BATCH):
        yield from (id_ for id_, number in zip(ids, reader.written(ids), strict=True) if number == NOT_KEPT)


def health(live: LiveGenerations, max_records: int) -> Health:
    """Check that the store and its folder can be read and written."""
    problems: list[str] = []
    notes: list[str] = []
    try:
        for name, generation in live.scopes():
            if not isinstance(generation, Generation):
                problems.append(f"scope {name!r}: {generation}")
            elif generation.records > max_records:
                notes.append(
                    f"scope {name!r} has {generation.records} records, more than vector.local.max_records "
                    f"({max_records}), so exact search is slow"
                )
    except PermissionDenied:
        raise
    except SearchSocketError as error:
        problems.append(str(error))
    if os.access(live.root, os.F_OK) and not os.access(live.root, os.W_OK):
        notes.append(f"{live.root} is read-only")
    return Health(not problems, "; ".join(problems + notes))


def _damage(live: LiveGenerations, generation: Path) -> str:
    """The reason why a generation cannot be opened."""
    try:
        live.open(generation)
    except FileNotFoundError as error:
        return f"{error.filename or generation} is missing"
    except IndexCorrupt as error:
        return damage_of(error)
    return ""


def _problems(live: LiveGenerations, generation: Path) -> list[str]:
    problems: list[str] = []
    try:
        manifest = live.ownership.checked(read_manifest(generation))
        if generation in live.verified:
            return []
        problems = file_problems(generation, manifest)
        reader = live.open(generation, trusted=True)
        problems += record_problems(reader) + (word_problems(reader) if live.vectors.upkeep else part_problems(reader))
        if not problems:
            live.verified.add(generation)
    except FileNotFoundError as error:
        problems.append(str(corrupt(Path(error.filename or generation), "is missing")))
    except IndexCorrupt as error:
        problems.append(str(error))
    return problems
