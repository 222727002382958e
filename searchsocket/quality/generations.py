"""Search in generations that need not be live: in one, or in two to compare their answers."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from searchsocket.backends import Backends
from searchsocket.curation.live_rules import Curation
from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.project import Project
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.search.wire import Wire
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import Answering, VectorStore
from searchsocket.types import Scope

_TIMEOUT_S = 30.0  # longer than for visitors: an answer by words only cannot be judged
_RESULTS = 10


@dataclass(frozen=True, slots=True)
class OneReader:
    """Implements `Readers` for one generation, which need not be live."""

    only: IndexReader

    def reader(self, scope: Scope) -> IndexReader:
        return self.only

    def open_reader(self, scope: Scope) -> IndexReader:
        return self.only

    def answering(self, scope: Scope) -> Answering:
        return Answering(self.only.generation)

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
    """Return the search engine over one generation of pages.

    Args:
        has_rules: True to apply the rules and synonyms of `curation.toml`; False: only the synonyms of the settings.
    """
    settings, readers = project.settings, OneReader(reader)
    curation = Curation(project.root if has_rules else None, settings.ranking.synonyms, clock)
    return SearchEngine(readers, queries, settings.ranking, clock, settings.facets, curation=curation)


def queries_of(project: Project, backends: Backends, clock: Callable[[], datetime]) -> QueryVectors:
    """Return the query embedder, with a long timeout for a remote provider; its cost is recorded."""
    return QueryVectors(
        backends.embedder_of,
        timeout_s=_TIMEOUT_S,
        usd_a_month=project.settings.costs.budget.month_usd,
        ledger=backends.ledger,
        clock=clock,
        prepare=backends.redactor or (lambda text: text),
    )


@dataclass(frozen=True, slots=True)
class GenerationAnswer(Wire):
    """Answer of one generation, or the reason why there is none."""

    generation: str
    published_at: str
    answer: SearchAnswer | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Comparison(Wire):
    """Answers of two generations."""

    before: GenerationAnswer
    after: GenerationAnswer


def compare_answers(
    project: Project,
    store: VectorStore,
    vectors: QueryVectors,
    scope: Scope,
    q: str,
    generations: tuple[str, str],
    clock: Callable[[], datetime],
) -> Comparison:
    """Run a query on two generations.

    Args:
        generations: Names, see `VectorStore.reader_of`.
    """

    def ask(name: str) -> GenerationAnswer:
        generation, published_at = name, ""
        try:
            reader = store.reader_of(scope, name)
            generation, published_at = reader.generation.name, reader.generation.published_at
            query = SearchQuery(q, top_k=_RESULTS, explain=True, sources=True)
            answer = engine_over(project, vectors, reader, clock).search(query, scope)
            return GenerationAnswer(generation, published_at, answer)
        except SearchSocketError as error:
            return GenerationAnswer(generation, published_at, None, str(error))

    before, after = map(ask, generations)
    return Comparison(before, after)
