"""Vector of a text for a comparison with those of a generation."""

from searchsocket.errors import EmbeddingModelMismatch
from searchsocket.models.embedders.queries import NoVector, QueryVectors
from searchsocket.types import Generation, Vector


def vector_for(
    queries: QueryVectors, generation: Generation, text: str, *, anonymous: bool = False
) -> Vector | NoVector:
    """Return the text's vector by the model of the generation, or the reason why there is none.

    Raises:
        EmbeddingModelMismatch: The scope was indexed with another model than the configured one.
    """
    embedder = queries.embedder_of(generation.model_id)
    if generation.model_id != embedder.model_id:
        raise EmbeddingModelMismatch(generation.scope, generation.model_id, embedder.model_id)
    return queries.vector(embedder, text, anonymous=anonymous)
