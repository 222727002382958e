"""Pages near a query that no page answers."""

from collections.abc import Sequence

from searchsocket.curation.rules import PageRule
from searchsocket.models.embedders.queries import NoVector, QueryVectors, vector_for
from searchsocket.stores.base import IndexReader
from searchsocket.types import Hit

_NEAREST = 10  # chunks
_NEAREST_OF_HIDDEN = 200  # if the owner hides some of them


def nearest_chunks(
    queries: QueryVectors,
    reader: IndexReader,
    query: str,
    *,
    anonymous: bool = False,
    rules: Sequence[PageRule] = (),
) -> Sequence[str]:
    """Return ids of the nearest chunks: the best by words, then by meaning, then by words.

    Args:
        anonymous: The query counts against the daily budget.
        rules: Of the owner, for the query: pages that they hide are left out.
    """
    hides = [rule for rule in rules if rule.effect == "hide"]
    count = _NEAREST if not hides else _NEAREST_OF_HIDDEN
    vector = vector_for(queries, reader.generation, query, anonymous=anonymous)
    by_words = _visible(reader, reader.words.search(query, top_k=count), hides)
    near = [] if isinstance(vector, NoVector) else _visible(reader, reader.vectors.nearest(vector, top_k=count), hides)
    return [*by_words[:1], *near, *by_words[1:]]


def _visible(reader: IndexReader, hits: Sequence[Hit], hides: Sequence[PageRule]) -> list[str]:
    ids = [hit.id for hit in hits]
    urls = reader.catalogue.facts(ids).url if hides else [""] * len(ids)
    return [id_ for id_, url in zip(ids, urls, strict=True) if not any(rule.names(url) for rule in hides)][:_NEAREST]
