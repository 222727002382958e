"""Pages near a query that no page answers."""

from collections.abc import Sequence

from searchsocket.models.embedders.queries import NoVector, QueryVectors, vector_for
from searchsocket.stores.base import IndexReader

_NEAREST = 10  # chunks


def nearest_chunks(queries: QueryVectors, reader: IndexReader, query: str, *, anonymous: bool = False) -> Sequence[str]:
    """Return ids of the nearest chunks: the best by words, then by meaning, then by words.

    Args:
        anonymous: The query counts against the daily budget.
    """
    by_words = [hit.id for hit in reader.words.search(query, top_k=_NEAREST)]
    vector = vector_for(queries, reader.generation, query, anonymous=anonymous)
    near = [] if isinstance(vector, NoVector) else [hit.id for hit in reader.vectors.nearest(vector, top_k=_NEAREST)]
    return [*by_words[:1], *near, *by_words[1:]]
