"""Health of the indexes of a project: generation, age and problems (spec 14.1)."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

from pydantic import Field

from searchsocket.errors import IndexLoading, SearchSocketError
from searchsocket.models.embedders.base import Embedder
from searchsocket.search.engine import SearchEngine
from searchsocket.search.wire import Wire
from searchsocket.serving.answers import public_message
from searchsocket.serving.scopes import NOTHING_PUBLIC, ReadableScopes
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.text.amounts import age_s
from searchsocket.types import Generation

T = TypeVar("T")


class Recent(Generic[T]):
    """Caches a value for a while; safe to share between threads, of which only one recomputes it."""

    def __init__(self, max_age_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_age_s = max_age_s
        self._clock = clock
        self._lock = threading.Lock()
        self._entry: tuple[float, T] | None = None

    def get(self, make: Callable[[], T]) -> T:
        """Return the value, recomputed if it is too old."""
        with self._lock:
            if self._entry is None or self._clock() >= self._entry[0] + self._max_age_s:
                self._entry = self._clock(), make()
            return self._entry[1]


# Why answers are degraded. `words_only`: the vector store is unavailable.
Degradation: TypeAlias = Literal["older_generation", "words_only", "not_loaded"]

_FEW_SCOPES = 8  # up to this number, every request reads their health
_HEALTH_S = 1.0
_NOT_LOADED = "not loaded; the first query loads it"


@dataclass(frozen=True, slots=True)
class ScopeHealth(Wire):
    """One scope's live index."""

    scope: str
    ready: Annotated[bool, Field(description="True if there is an index of the configured model.")]
    degraded: Annotated[
        str | None,
        Field(description="Reason for degraded answers: an older generation, or no search by meaning."),
    ] = None
    degraded_by: Annotated[tuple[Degradation, ...], Field(description="The reasons as codes.")] = ()
    generation: str | None = None
    published_at: str | None = None
    age_seconds: float | None = None
    checked_at: Annotated[
        str | None, Field(description="Time of the last check that found no changes; null if there was none.")
    ] = None
    records: int | None = None
    pages: int | None = None
    model_id: str | None = None
    poll_age_seconds: Annotated[
        float | None, Field(description="Time since the object store answered; null if none is followed.")
    ] = None


@dataclass(frozen=True, slots=True)
class ServiceHealth(Wire):
    """`live`: the process answers; `ready`: every scope that callers may read by default does."""

    live: bool
    ready: bool
    scopes: tuple[ScopeHealth, ...]
    backend: Annotated[str | None, Field(description="Status of the store; null without the key.")] = None
    backend_up: Annotated[bool | None, Field(description="True if the store answers; null without the key.")] = None
    notice: Annotated[str | None, Field(description="What callers without the key cannot use, and the fix.")] = None
    curation: Annotated[
        tuple[str, ...], Field(description="Invalid rules of curation.toml, with their lines; empty without the key.")
    ] = ()


class HealthCheck:
    """Checks the scopes of one project; safe to share between threads."""

    def __init__(
        self,
        scopes: ReadableScopes,
        store: VectorStore,
        engine: SearchEngine,
        embedder_of: Callable[[str], Embedder],
        clock: Callable[[], datetime],
        on_error: Callable[[BaseException], None],
        last_checked: Callable[[str, str], str],
    ) -> None:
        """
        Args:
            last_checked: Returns the time of the last check that found a scope unchanged since a generation;
                "" = unknown.
        """
        self._scopes = scopes
        self._store = store
        self._engine = engine
        self._embedder_of = embedder_of
        self._clock = clock
        self._on_error = on_error
        self._last_checked = last_checked
        self._recent = Recent[tuple[ScopeHealth, ...]](_HEALTH_S)

    def report(self, *, trusted: bool) -> ServiceHealth:
        """Report if queries are answered; untrusted callers see public scopes only."""
        notice = None if self._scopes.public else NOTHING_PUBLIC
        mistakes = self._engine.curation.rules().mistakes if trusted else ()
        return replace(self._report(trusted=trusted), notice=notice, curation=mistakes)

    def _report(self, *, trusted: bool) -> ServiceHealth:
        health_by_scope = {health.scope: health for health in self._public(trusted=trusted)}
        ready = all(health.ready for health in health_by_scope.values())
        if not trusted:
            return ServiceHealth(True, ready, tuple(health_by_scope.values()))
        try:
            for generation in self._store.list_scopes():
                health_by_scope.setdefault(generation.scope, self._of_generation(generation))
            backend = self._store.health()
        except SearchSocketError as error:
            return ServiceHealth(True, False, tuple(health_by_scope.values()), error.code, backend_up=False)
        details = backend.details or ("ok" if backend.ok else "not ok")
        return ServiceHealth(True, ready and backend.ok, tuple(health_by_scope.values()), details, backend.ok)

    def _public(self, *, trusted: bool) -> tuple[ScopeHealth, ...]:
        """Return the health of the public scopes; that of many scopes is cached for strangers, to limit its cost."""
        names = self._scopes.public

        def read() -> tuple[ScopeHealth, ...]:
            return tuple(self._of_scope(name, trusted=trusted) for name in names)

        return read() if trusted or len(names) <= _FEW_SCOPES else self._recent.get(read)

    def _of_scope(self, name: str, *, trusted: bool) -> ScopeHealth:
        scope = self._scopes.find(name, trusted=False)
        try:
            answering = self._store.answering(scope)
            outage = self._engine.backend_trouble(scope)
        except IndexLoading:
            return ScopeHealth(name, ready=True, degraded=_NOT_LOADED, degraded_by=("not_loaded",))
        except SearchSocketError as error:
            self._on_error(error)
            return ScopeHealth(name, ready=False)
        reasons = (_old_reason(answering.trouble, trusted=trusted), self._without_vectors(outage, trusted=trusted))
        health = self._of_generation(answering.generation, "; ".join(filter(None, reasons)) or None)
        by: list[Degradation] = ["older_generation"] if answering.trouble else []
        by += ["words_only"] if outage and self._engine.answers_by_words else []
        health = replace(health, degraded_by=tuple(by), poll_age_seconds=answering.poll_age_s)
        return health if outage is None or self._engine.answers_by_words else replace(health, ready=False)

    def _without_vectors(self, outage: SearchSocketError | None, *, trusted: bool) -> str:
        """The effect on queries while the vector store is unavailable."""
        if outage is None:
            return ""
        effect = "queries match words only" if self._engine.answers_by_words else "no queries are answered"
        return f"{effect}, because {_message(outage, trusted=trusted)}"

    def _has_vectors(self, generation: Generation) -> bool:
        """Return True if queries get vectors that are comparable with the generation's."""
        try:
            return self._embedder_of(generation.model_id).model_id == generation.model_id
        except SearchSocketError as error:  # for example, a missing key
            self._on_error(error)
            return False

    def _of_generation(self, generation: Generation, degraded: str | None = None) -> ScopeHealth:
        return ScopeHealth(
            scope=generation.scope,
            ready=self._has_vectors(generation),
            degraded=degraded,
            generation=generation.name,
            published_at=generation.published_at,
            age_seconds=age_s(generation.published_at, self._clock()),
            checked_at=self._last_checked(generation.scope, generation.name) or None,
            records=generation.records,
            pages=generation.pages,
            model_id=generation.model_id,
        )


def _old_reason(trouble: SearchSocketError | None, *, trusted: bool) -> str:
    """Explain why an older generation answers, in a message that this caller may read."""
    if trouble is None:
        return ""
    return f"an older generation answers, because the newest is unusable: {_message(trouble, trusted=trusted)}"


def _message(error: SearchSocketError, *, trusted: bool) -> str:
    return str(error) if trusted else public_message(error)
