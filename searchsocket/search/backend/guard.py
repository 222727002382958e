"""The vectors of a store on another machine, as queries may use them."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from searchsocket.errors import SearchSocketError, VectorBackendUnavailable, VectorsMissing
from searchsocket.stores.base import CatalogueSnapshot, IndexReader, VectorLimits, VectorSnapshot, WordSnapshot
from searchsocket.system.breaker import Breaker
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors

if TYPE_CHECKING:
    from searchsocket.project.settings.model import SearchSettings

T = TypeVar("T")

_FIRST_CALL_S = 10.0  # more for the first call of a process, which loads the client and connects
_PROBE_S = 5.0


def breaker_of(clock: Callable[[], float]) -> Breaker:
    """A store that failed is asked again after a second, then ever later, at least twice a minute."""
    return Breaker(clock, pause_s=1.0, max_pause_s=30.0)


class BackendGuard:
    """State of the remote vector store, as a service knows it; thread-safe."""

    def __init__(
        self,
        settings: "SearchSettings",
        *,
        clock: Callable[[], float] = time.monotonic,
        on_error: Callable[[BaseException], None] = lambda _: None,
    ) -> None:
        """Args: on_error: hears of each call that failed, and not of those that were not made for it."""
        self.answers_by_words = settings.on_backend_failure == "words"
        self._timeout_s = settings.backend_timeout_s
        self._limit = TimeLimit()
        self._breaker = breaker_of(clock)
        self._clock = clock
        self._on_error = on_error
        self._first_s = _FIRST_CALL_S
        self._lock = threading.Lock()
        self._probes: dict[str, tuple[float, SearchSocketError | None]] = {}  # by scope; the clock when it was made

    def guarded(self, reader: IndexReader) -> IndexReader:
        """The reader, through this guard where its vectors are elsewhere."""
        return _GuardedReader(reader, self) if reader.vectors.limits.is_remote else reader

    def trouble(self, reader: IndexReader) -> SearchSocketError | None:
        """Why queries of a generation get no vectors at the moment; asks at most every few seconds."""
        if not reader.vectors.limits.is_remote:
            return None
        scope, now = reader.generation.scope, self._clock()
        with self._lock:
            probed_at, trouble = self._probes.get(scope, (now - _PROBE_S, None))
            if now < probed_at + _PROBE_S:
                return trouble
            self._probes[scope] = now, trouble  # so that nobody else asks meanwhile
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
            VectorBackendUnavailable: It did not in time, or has not lately.
        """
        if wait_s := self._breaker.wait_s():
            raise VectorBackendUnavailable("the vector store has not answered lately", retry_after_s=wait_s)
        first_s, self._first_s = self._first_s, 0.0
        timeout_s = self._timeout_s + first_s
        try:
            answer = self._limit.call(work, timeout_s)
        except TimeoutError:
            failure = VectorBackendUnavailable(f"the vector store did not answer within {timeout_s:g} s")
        except VectorsMissing:  # it answers, and perhaps whole the next time
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
        """See `VectorSnapshot.nearest`."""
        return self._guard.call(lambda: self._reader.vectors.nearest(vector, top_k=top_k, where=where))

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `VectorSnapshot.similarities`."""
        return self._guard.call(lambda: self._reader.vectors.similarities(vector, ids)) if ids else []

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `VectorSnapshot.vectors_of`."""
        return self._guard.call(lambda: self._reader.vectors.vectors_of(ids))


THREAD_NAME = "vector-backend"
_MAX_UNDER_WAY = 32  # calls that are not answered yet; beyond it nobody begins to wait


class TimeLimit:
    """Runs calls in threads of their own; safe to share between threads."""

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
        # A daemon, so that a server that never answers keeps no process alive.
        threading.Thread(target=self._run, args=(work, call), name=THREAD_NAME, daemon=True).start()
        return call.result(timeout_s)

    def _run(self, work: Callable[[], Any], call: Future[Any]) -> None:
        try:
            call.set_result(work())
        except BaseException as error:  # noqa: BLE001  (handed to whoever waits)
            call.set_exception(error)
        finally:
            self._free.release()
