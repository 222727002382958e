"""Asking one generation, whichever is live: the engine that answers callers, over a reader of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from searchsocket.embedders.queries import QueryVectors
from searchsocket.errors import SearchSocketError
from searchsocket.project.backends import Backends
from searchsocket.project.project import Project
from searchsocket.quality.replies import Ask
from searchsocket.search.engine import SearchEngine
from searchsocket.stores.base import Answering, IndexReader
from searchsocket.types import Scope

_TIMEOUT_S = 30.0  # nobody waits for the first letter of an answer: a judgement by words alone would be none


@dataclass(frozen=True, slots=True)
class OneReader:
    """Implements `Readers` for one generation, whatever is live."""

    one: IndexReader

    def reader(self, scope: Scope) -> IndexReader:
        return self.one

    def held(self, scope: Scope) -> IndexReader:
        return self.one

    def answering(self, scope: Scope) -> Answering:
        return Answering(self.one.generation)

    def refresh(self) -> list[SearchSocketError]:
        return []


def engine_over(
    project: Project, backends: Backends, reader: IndexReader, clock: Callable[[], datetime]
) -> SearchEngine:
    """What answers from one generation; a provider elsewhere is waited for, and what it is paid is noted."""
    queries = QueryVectors(
        backends.embedder_of,
        timeout_s=_TIMEOUT_S,
        usd_a_month=project.settings.costs.budget.month_usd,
        ledger=backends.ledger,
        clock=clock,
        prepare=backends.redactor or (lambda text: text),
    )
    return SearchEngine(OneReader(reader), queries, project.settings.ranking, clock, project.settings.facets)


def ask_over(
    project: Project, backends: Backends, reader: IndexReader, scope: Scope, clock: Callable[[], datetime]
) -> Ask:
    """Asks one generation."""
    engine = engine_over(project, backends, reader, clock)
    return lambda query: engine.search(query, scope)
