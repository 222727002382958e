"""Notes: why an answer is less than it could be."""

from searchsocket.models.embedders.queries import NoVector
from searchsocket.search.answer import Note
from searchsocket.search.filters import OWN_FILTERS
from searchsocket.search.query import SearchQuery
from searchsocket.stores.base import IndexReader

NOTES = {
    NoVector.UNAVAILABLE: Note(
        "EMBEDDER_UNAVAILABLE", "the embedding provider failed, so these results match words only"
    ),
    NoVector.TOO_SLOW: Note("EMBEDDER_TOO_SLOW", "the embedding provider timed out, so these results match words only"),
    NoVector.OVER_BUDGET: Note(
        "EMBEDDER_OVER_BUDGET", "today's budget for query embeddings is spent, so these results match words only"
    ),
}
NO_BACKEND = Note("VECTOR_BACKEND_UNAVAILABLE", "the vector store is unavailable, so these results match words only")
_OTHER_GENERATION = Note(
    "GENERATION_CHANGED",
    "another generation is live than the requested one, so the order may differ",
)


def further_notes(reader: IndexReader, query: SearchQuery) -> tuple[Note, ...]:
    """Notes for callers, except the reason for a missing vector."""
    unstated = _unstated(reader, query) if query.filters or query.facets else ()
    is_other = bool(query.generation) and query.generation != reader.generation.name
    return (*unstated, _OTHER_GENERATION) if is_other else unstated


def _unstated(reader: IndexReader, query: SearchQuery) -> tuple[Note, ...]:
    """The requested facets that no indexed page has."""
    asked = dict.fromkeys([*(name for name, _ in query.filters if name not in OWN_FILTERS), *query.facets])
    present = reader.catalogue.facet_names() if asked else frozenset()
    return tuple(
        Note(
            "FACET_NOT_INDEXED",
            f"no indexed page has the facet {name!r}; after you add a facet to [facets], run `searchsocket index`",
        )
        for name in asked
        if name not in present
    )
