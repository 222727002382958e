"""How texts become vectors: one file per embedder, and the one way to make the configured one."""

from searchsocket.embedders.base import Embedder
from searchsocket.embedders.cost import price_of
from searchsocket.settings.model import EmbeddingSettings


def make_embedder(settings: EmbeddingSettings) -> Embedder:
    """The configured embedder. Heavy clients are imported here, when their provider is chosen."""
    match settings.provider:
        case "hash":
            from searchsocket.embedders.hash import MODEL_ID, HashEmbedder

            return HashEmbedder(price_of(MODEL_ID, settings.price_per_million_tokens_usd))
