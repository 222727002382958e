"""Compare the answers of two generations to one query, with the parts of each score."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.project import Project
from searchsocket.quality.one_generation import engine_over
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.query import SearchQuery
from searchsocket.search.wire import Wire
from searchsocket.stores.base import VectorStore
from searchsocket.types import Scope

_RESULTS = 10


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
