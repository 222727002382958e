"""Cohere's embeddings (docs.cohere.com/reference/embed): an embedder of one's own, in one file."""

import httpx
import numpy as np
from searchsocket.errors import BadVectors, ConfigMissing, EmbedderRefused, EmbedderUnavailable
from searchsocket.models.embedders.base import Limits

URL = "https://api.cohere.com/v2"


def make(settings, environ):
    """The function that the entry point names: called with [embeddings] and the environment."""
    key = environ.get("COHERE_API_KEY", "")
    if not key:
        raise ConfigMissing("the cohere provider needs its key in $COHERE_API_KEY")
    price = settings.price_per_million_tokens_usd
    return CohereEmbedder(
        key,
        settings.model or "embed-v4.0",
        settings.dimensions or 1024,
        settings.base_url or URL,
        0.12 if price is None else price,  # of embed-v4.0 in November 2026, in dollars
    )


class CohereEmbedder:
    limits = Limits(texts=96, tokens_a_text=128_000, tokens=128_000)
    tolerance = 1e-3
    is_instant = False
    is_remote = True

    def __init__(self, key, model, dimensions, url, price):
        self.model_id = f"cohere-{model}-{dimensions}"  # begins with the name of the entry point
        self.dimensions = dimensions
        self.price_per_million_tokens_usd = price
        self._client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
        self._body = {"model": model, "output_dimension": dimensions, "embedding_types": ["float"], "truncate": "END"}

    def embed(self, texts, kind):
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        role = "search_query" if kind == "query" else "search_document"
        texts = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        try:
            answer = self._client.post("/embed", json=self._body | {"texts": texts, "input_type": role})
        except httpx.HTTPError as error:
            raise EmbedderUnavailable(f"Cohere cannot be reached ({type(error).__name__})") from None
        if answer.status_code == 429 or answer.status_code >= 500:
            pause = answer.headers.get("retry-after", "")
            raise EmbedderUnavailable(
                f"Cohere answers {answer.status_code}", float(pause) if pause.isdigit() else None,
                is_limit=answer.status_code == 429,
            )  # fmt: skip
        if answer.status_code != 200:
            raise EmbedderRefused(f"Cohere answers {answer.status_code}; check the key, the credit and the model")
        try:
            rows = np.array(answer.json()["embeddings"]["float"], dtype=np.float32)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)  # its vectors are not of unit length
        except (ValueError, KeyError, TypeError) as error:
            raise BadVectors(f"Cohere answers with something else than embeddings ({type(error).__name__})") from None

    def count_tokens(self, text):
        return min((len(text.encode("utf-8", "replace")) + 3) // 4, self.limits.tokens_a_text)
