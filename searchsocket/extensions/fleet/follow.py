"""The local store over a folder that follows an object store: new generations are fetched while the old one answers."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDone
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from searchsocket.errors import (
    ArtifactInvalid,
    ArtifactsUnavailable,
    IndexLoading,
    ScopeLocked,
    ScopeNotIndexed,
    SearchSocketError,
)
from searchsocket.extensions.fleet.documents import PROJECT, ProjectDocument, read_document
from searchsocket.extensions.fleet.objects.base import Objects
from searchsocket.extensions.fleet.pull import pull_scope
from searchsocket.extensions.fleet.pulled_files import PulledFiles
from searchsocket.stores.base.vector_store import Answering
from searchsocket.stores.base.vectors import VectorIndex
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.store import LocalStore
from searchsocket.text.synonyms import NO_SYNONYMS, SynonymSource
from searchsocket.types import Scope

T = TypeVar("T")

DEADLINE_S = 10.0
MAX_WAITERS = 16  # threads of all projects that wait for a scope; the rest answers queries
_FIRST_PULL_S = 600.0  # wait for another process that fetches the same scope
_MAX_PAUSE_S = 900.0  # before a refused generation is tried again
_TRIES = 3  # to open a scope whose files another process removes
_SILENT_POLLS = 3  # after so many without an answer, health reports it
_MAX_UNKNOWN = 1_000  # names of missing scopes that trusted callers asked for


class Waiters:
    """Bound of the requests that wait for a scope, shared by all projects of a service."""

    def __init__(self, most: int = MAX_WAITERS) -> None:
        self.slots = threading.BoundedSemaphore(most)


class OnDemand:
    """Loads the scopes of one project; safe to share between threads."""

    def __init__(self, files: PulledFiles, waiters: Waiters, deadline_s: float = DEADLINE_S) -> None:
        self.files = files
        self._waiters = waiters
        self._deadline_s = deadline_s
        self._pool = ThreadPoolExecutor(1, "load-scope")
        self._lock = threading.Lock()
        self._loading: dict[str, Future[object]] = {}  # by scope

    def run(self, scope: str, load: Callable[[], T]) -> T:
        """Load a scope, or wait for the caller that loads it; loading continues after the deadline.

        Raises:
            IndexLoading: It takes longer, or too many requests wait.
        """
        with self._lock:
            future = self._loading.get(scope)
            if future is None:
                future = self._loading[scope] = self._pool.submit(load)
                future.add_done_callback(lambda _: self._loading.pop(scope, None))
        if not self._waiters.slots.acquire(blocking=False):
            raise self._still_loading(scope)
        try:
            return future.result(self._deadline_s)  # type: ignore[return-value]
        except NotDone:
            raise self._still_loading(scope) from None
        finally:
            self._waiters.slots.release()

    def close(self) -> None:
        """End after the scope that is being loaded."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _still_loading(self, scope: str) -> IndexLoading:
        return IndexLoading(
            f"the index of scope {scope!r} is being loaded; try again in {IndexLoading.retry_after_s} s"
        )


class PulledStore(LocalStore):
    """A store that is only read; safe to share between threads."""

    def __init__(
        self,
        objects: Objects,
        root: Path,
        project_id: str,
        *,
        poll_s: float,
        max_bytes: int,
        public_scopes: tuple[str, ...] = (),
        vectors: VectorIndex | None = None,
        synonyms: SynonymSource = NO_SYNONYMS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Fetches nothing yet: the first query of a scope fetches it, and it is followed from then on.

        Args:
            root: Folder of the index; processes may share it.
            poll_s: Interval at which `refresh` asks for a new generation.
            max_bytes: See `pull_scope`.
            public_scopes: As they were when the project was opened; `refresh` reads them again.
        """
        super().__init__(root, project_id, vectors=vectors, synonyms=synonyms, monotonic=monotonic)
        self._objects = objects
        self._index = root
        self.poll_s = poll_s
        self._max_bytes = max_bytes
        self._public_scopes = public_scopes
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._followed: dict[Scope, float] = {}  # -> when the object store answered last
        self._troubles: dict[Scope, SearchSocketError] = {}
        self._refused: dict[Scope, tuple[float, float]] = {}  # -> when to look again, and the pause until then
        self._unknown: dict[Scope, float] = {}  # -> when to ask again
        self._polled_at = monotonic()
        self._on_demand: OnDemand | None = None

    def reader(self, scope: Scope) -> LocalReader:
        """Return a snapshot of the live generation; the first call for a scope fetches it."""
        for _ in range(_TRIES):
            if scope not in self._followed:
                self._follow(scope)
            try:
                return super().reader(scope)
            except ScopeNotIndexed:
                if not self._on_demand:
                    raise
                self.release(scope)  # its files were removed to make room
        raise IndexLoading(f"the index of scope {scope.name!r} is removed as often as it is loaded; raise --disk-mb")

    def load_on_demand(self, on_demand: OnDemand) -> None:
        """Load scopes by `on_demand`, and follow them only while they are open."""
        self._on_demand = on_demand
        on_demand.files.open(self._index, self._release_named)
        for scope in self._followed:
            on_demand.files.note(self._index, scope.name)

    def release(self, scope: Scope) -> None:
        """Close a scope and follow it no longer; the next query loads it."""
        with self._guard:
            self._followed.pop(scope, None)
        self.forget(scope)

    def _release_named(self, name: str) -> None:
        self.release(Scope(self._project_id, name))

    def close(self) -> None:
        """Close all scopes."""
        if self._on_demand:
            self._on_demand.close()
            self._on_demand.files.close(self._index, self._release_named)
        self.close_readers()

    def answering(self, scope: Scope) -> Answering:
        """Return the source of the answers of `reader`; `trouble` may also be an unreachable object store."""
        trouble = self._trouble(scope)
        try:
            answering = super().answering(scope)
        except ScopeNotIndexed as error:
            if self._on_demand and not trouble and scope not in self._followed:
                raise IndexLoading(f"the index of scope {scope.name!r} is not loaded yet") from None
            raise trouble or error from None
        answered_at = self._followed.get(scope)
        poll_age_s = None if answered_at is None else self._monotonic() - answered_at
        return replace(answering, trouble=answering.trouble or trouble, poll_age_s=poll_age_s)

    def refresh(self) -> list[SearchSocketError]:
        """Fetch newly published generations and switch to them; report unusable ones."""
        errors: list[SearchSocketError] = []
        if self._monotonic() - self._polled_at >= 0.9 * self.poll_s:
            self._polled_at = self._monotonic()
            errors += self._follow_public_scopes()
            for scope in list(self._followed):
                if self._on_demand and not self._is_used(scope, self._on_demand):
                    continue
                if self._monotonic() >= self._refused.get(scope, (0.0, 0.0))[0] and (error := self._pull(scope, 0.0)):
                    errors.append(error)
        return errors + super().refresh()

    def _is_used(self, scope: Scope, on_demand: OnDemand) -> bool:
        """Return True if a scope is open; one that was closed is not followed."""
        if self._readers.last(scope):
            on_demand.files.note(self._index, scope.name)
            return True
        with self._guard:
            self._followed.pop(scope, None)
        return False

    def public_scopes(self) -> tuple[str, ...]:
        """Names of the scopes that anyone may read, as pushed last; the default first."""
        return self._public_scopes

    def _follow_public_scopes(self) -> list[SearchSocketError]:
        try:
            document = read_document(self._objects, PROJECT, ProjectDocument, self._project_id)
        except ArtifactsUnavailable:  # the next pull of a scope reports it
            return []
        except SearchSocketError as error:  # the scopes that were public stay so
            return [error]
        self._public_scopes = document.scopes
        return []

    def note_pull(self, scope: Scope, trouble: SearchSocketError | None) -> None:
        """Follow a scope that the caller pulled; `trouble` is the reason if an earlier copy answers."""
        with self._guard:
            self._followed[scope] = self._monotonic()
            if trouble:
                self._troubles[scope] = trouble

    def _follow(self, scope: Scope) -> None:
        now = self._monotonic()
        with self._guard:
            if now < self._unknown.get(scope, 0.0):
                raise ScopeNotIndexed(scope.name)
        pull = partial(self._pull, scope, _FIRST_PULL_S)
        try:
            error = self._on_demand.run(scope.name, pull) if self._on_demand else pull()
        except IndexLoading:
            if self.generation(scope) is None:
                raise
            error = None  # an earlier copy answers until then
        if isinstance(error, ScopeNotIndexed):
            with self._guard:
                if len(self._unknown) >= _MAX_UNKNOWN:
                    self._unknown.clear()
                self._unknown[scope] = now + self.poll_s
            raise error
        if error is not None and self.generation(scope) is None:
            raise error
        with self._guard:
            self._followed.setdefault(scope, self._monotonic())

    def _pull(self, scope: Scope, lock_timeout_s: float) -> SearchSocketError | None:
        """Fetch the newest generation of a scope; returns the error if that fails."""
        try:
            pull_scope(
                self._objects,
                self._index,
                scope,
                max_bytes=self._max_bytes,
                lock_timeout_s=lock_timeout_s,
                make_room=partial(self._make_room, scope),
            )
        except ScopeLocked:  # another process fetches it
            return None
        except SearchSocketError as error:
            with self._guard:
                self._troubles[scope] = error
                if isinstance(error, ArtifactInvalid):  # else the same bytes are fetched and refused again and again
                    pause = min(2 * self._refused.get(scope, (0.0, self.poll_s / 2))[1], _MAX_PAUSE_S)
                    self._refused[scope] = (self._monotonic() + pause, pause)
            return error
        if self._on_demand:
            self._on_demand.files.note(self._index, scope.name)
        with self._guard:
            self._troubles.pop(scope, None)
            self._refused.pop(scope, None)
            self._followed[scope] = self._monotonic()
        return None

    def _make_room(self, scope: Scope, size: int) -> None:
        if self._on_demand:
            self._on_demand.files.make_room(self._index, scope.name, size)

    def _trouble(self, scope: Scope) -> SearchSocketError | None:
        """The reason why the answering generation may not be the last pushed one."""
        with self._guard:
            silent_s = self._monotonic() - self._followed.get(scope, self._monotonic())
            if trouble := self._troubles.get(scope):
                return trouble
        if silent_s > _SILENT_POLLS * self.poll_s + 60:
            return ArtifactsUnavailable(f"{self._objects.address} has not answered for {silent_s:,.0f} s")
        return None
