"""Guard queries to a remote vector store with a timeout and a circuit breaker."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from searchsocket.errors import SearchSocketError, VectorBackendUnavailable, VectorsMissing
from searchsocket.stores.base.index_reader import CatalogueSnapshot, IndexReader, WordSnapshot
from searchsocket.stores.base.vectors import VectorLimits, VectorSnapshot
from searchsocket.system.breaker import Breaker
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors

if TYPE_CHECKING:
    from searchsocket.project.settings.model import SearchSettings

T = TypeVar("T")

_FIRST_CALL_S = 10.0  # more for the first call of a process, which loads the client and connects
_PROBE_S = 5.0


def breaker_of(clock: Callable[[], float]) -> Breaker:
    """Return a breaker that retries a failed store after 1 s, then ever later, up to 30 s."""
    return Breaker(clock, pause_s=1.0, max_pause_s=30.0)


class BackendGuard:
    """Calls of a remote vector store with a timeout and a circuit breaker; thread-safe."""

    def __init__(
        self,
        settings: "SearchSettings",
        *,
        clock: Callable[[], float] = time.monotonic,
        on_error: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        """
        Args:
            on_error: Called for each call that failed, not for calls that the open breaker refused.
        """
        self.answers_by_words = settings.on_backend_failure == "words"
        self._timeout_s = settings.backend_timeout_s
        self._limit = TimeLimit()
        self._breaker = breaker_of(clock)
        self._clock = clock
        self._on_error = on_error
        self._first_s = _FIRST_CALL_S
        self._lock = threading.Lock()
        self._probes: dict[str, tuple[float, SearchSocketError | None]] = {}  # by scope: time and error of the probe

    def guarded(self, reader: IndexReader) -> IndexReader:
        """Return the reader; if its vectors are remote, with this guard around them."""
        return _GuardedReader(reader, self) if reader.vectors.limits.is_remote else reader

    def trouble(self, reader: IndexReader) -> SearchSocketError | None:
        """Return the error that queries of a generation get now, or None; probes at most every `_PROBE_S` seconds."""
        if not reader.vectors.limits.is_remote:
            return None
        scope, now = reader.generation.scope, self._clock()
        with self._lock:
            probed_at, trouble = self._probes.get(scope, (now - _PROBE_S, None))
            if now < probed_at + _PROBE_S:
                return trouble
            self._probes[scope] = now, trouble  # so that no other thread probes at the same time
        vector = np.zeros(reader.generation.dimensions, np.float32)
        vector[0] = 1.0
        try:
            self.guarded(reader).vectors.nearest(vector, top_k=1)
        except SearchSocketError as error:
            trouble = error
        else:
            trouble = None
        with self._lock:
            self._probes[scope] = now, trouble
        return trouble

    def call(self, work: Callable[[], T]) -> T:
        """Call a snapshot and return its answer.

        Raises:
            VectorBackendUnavailable: The store did not answer in time, or the breaker is open.
        """
        if wait_s := self._breaker.wait_s():
            raise VectorBackendUnavailable("the vector store has not answered lately", retry_after_s=wait_s)
        first_s, self._first_s = self._first_s, 0.0
        timeout_s = self._timeout_s + first_s
        try:
            answer = self._limit.call(work, timeout_s)
        except TimeoutError:
            failure = VectorBackendUnavailable(f"the vector store did not answer within {timeout_s:g} s")
        except VectorsMissing:  # the store answers; the next answer may be complete
            self._breaker.succeeded()
            raise
        except VectorBackendUnavailable as error:
            failure = error
        except SearchSocketError:
            self._breaker.succeeded()
            raise
        else:
            self._breaker.succeeded()
            return answer
        self._breaker.failed()
        self._on_error(failure)
        raise failure


@dataclass(frozen=True, slots=True)
class _GuardedReader:
    """Implements `IndexReader`."""

    _reader: IndexReader
    _guard: BackendGuard
    join = None

    @property
    def generation(self) -> Generation:
        return self._reader.generation

    @property
    def catalogue(self) -> CatalogueSnapshot:
        return self._reader.catalogue

    @property
    def words(self) -> WordSnapshot:
        return self._reader.words

    @property
    def vectors(self) -> VectorSnapshot:
        return _GuardedVectors(self._reader, self._guard)


@dataclass(frozen=True, slots=True)
class _GuardedVectors:
    """Implements `VectorSnapshot`."""

    _reader: IndexReader
    _guard: BackendGuard

    @property
    def limits(self) -> VectorLimits:
        return self._reader.vectors.limits

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` records that match `where`, by falling cosine; equal scores by rising id."""
        return self._guard.call(lambda: self._reader.vectors.nearest(vector, top_k=top_k, where=where))

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Return the cosine of each record, in the order of `ids`."""
        return self._guard.call(lambda: self._reader.vectors.similarities(vector, ids)) if ids else []

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Return a copy of the vector of each record, in the order of `ids`."""
        return self._guard.call(lambda: self._reader.vectors.vectors_of(ids))


THREAD_NAME = "vector-backend"
_MAX_UNDER_WAY = 32  # unanswered calls; further calls fail at once


class TimeLimit:
    """Runs each call in its own thread with a timeout; safe to share between threads."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(_MAX_UNDER_WAY)

    def call(self, work: Callable[[], T], timeout_s: float) -> T:
        """Return or raise the result of `work`; after the timeout the work continues in the background.

        Raises:
            TimeoutError: It took longer, or too many calls are under way.
        """
        if not self._free.acquire(blocking=False):
            raise TimeoutError
        call: Future[T] = Future()
        # A daemon thread, so that a server that never answers does not keep the process alive.
        threading.Thread(target=self._run, args=(work, call), name=THREAD_NAME, daemon=True).start()
        return call.result(timeout_s)

    def _run(self, work: Callable[[], object], call: Future[object]) -> None:
        try:
            call.set_result(work())
        except BaseException as error:  # noqa: BLE001  (raised in the waiting thread)
            call.set_exception(error)
        finally:
            self._free.release()
