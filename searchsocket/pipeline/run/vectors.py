"""Vectors of records, from the embedding cache, or from the model if its vectors are not cached."""

from collections.abc import Sequence

from searchsocket.content.chunking.records import embedded_text
from searchsocket.models.embedders.base import Embedder, is_uncached
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.types import Record, Vectors


def vectors_of(records: Sequence[Record], embedder: Embedder, cache: EmbeddingCache) -> Vectors:
    """The vectors of some records, in their order; all records have the embedder's model.

    Returns:
        float32 of shape (len(records), dimensions).

    Raises:
        StateUnavailable: A vector is missing from the cache, or the cache cannot be read.
    """
    if is_uncached(embedder.model_id):
        return embedder.embed([embedded_text(record.page.title, record.chunk) for record in records], "passage")
    return cache.get([record.content_hash for record in records], embedder.model_id)
