"""The engine that answers callers, over one generation, whichever is live."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from searchsocket.backends import Backends
from searchsocket.curation.live_rules import Curation
from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.project import Project
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

    def open_reader(self, scope: Scope) -> IndexReader:
        return self.one

    def answering(self, scope: Scope) -> Answering:
        return Answering(self.one.generation)

    def refresh(self) -> list[SearchSocketError]:
        return []


def engine_over(
    project: Project,
    queries: QueryVectors,
    reader: IndexReader,
    clock: Callable[[], datetime],
    *,
    has_rules: bool = True,
) -> SearchEngine:
    """The search engine over one generation of pages.

    Args:
        has_rules: Apply the rules of `curation.toml`; else its synonyms alone.
    """
    settings, readers = project.settings, OneReader(reader)
    curation = Curation(project.root if has_rules else None, settings.ranking.synonyms, clock)
    return SearchEngine(readers, queries, settings.ranking, clock, settings.facets, curation=curation)


def queries_of(project: Project, backends: Backends, clock: Callable[[], datetime]) -> QueryVectors:
    """Vectors of queries; a provider elsewhere is waited for, and what it is paid is noted."""
    return QueryVectors(
        backends.embedder_of,
        timeout_s=_TIMEOUT_S,
        usd_a_month=project.settings.costs.budget.month_usd,
        ledger=backends.ledger,
        clock=clock,
        prepare=backends.redactor or (lambda text: text),
    )
