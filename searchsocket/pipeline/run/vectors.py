"""The vectors of records that are written: from the embedding cache, or made here where nothing keeps them."""

from collections.abc import Sequence

from searchsocket.content.chunking.records import embedded_text
from searchsocket.models.embedders.base import Embedder, is_unkept
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.types import Record, Vectors


def vectors_of(records: Sequence[Record], embedder: Embedder, cache: EmbeddingCache) -> Vectors:
    """The vectors of some records of the embedder's model, in their order.

    Returns:
        float32 of shape (len(records), dimensions).

    Raises:
        StateUnavailable: The cache lacks one, or cannot be read.
    """
    if is_unkept(embedder.model_id):
        return embedder.embed([embedded_text(record.page.title, record.chunk) for record in records], "passage")
    return cache.get([record.content_hash for record in records], embedder.model_id)
