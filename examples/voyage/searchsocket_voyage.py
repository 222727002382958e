"""Voyage's embeddings (docs.voyageai.com/reference/embeddings-api): an embedder of one's own, in one file."""

import httpx
import numpy as np
from searchsocket.models.embedders.base import Limits
from searchsocket.errors import BadVectors, ConfigMissing, EmbedderRefused, EmbedderUnavailable

URL = "https://api.voyageai.com/v1"


def make(settings, environ):
    """What the entry point names: called with [embeddings] of searchsocket.toml and the environment."""
    key = environ.get("VOYAGE_API_KEY", "")
    if not key:
        raise ConfigMissing("the voyage provider needs its key in $VOYAGE_API_KEY")
    price = settings.price_per_million_tokens_usd
    return VoyageEmbedder(
        key,
        settings.model or "voyage-3.5",
        settings.dimensions or 1024,
        settings.base_url or URL,
        0.06 if price is None else price,
    )


class VoyageEmbedder:
    limits = Limits(texts=1_000, tokens_a_text=32_000, tokens=120_000)
    tolerance = 1e-3
    is_instant = False
    is_remote = True

    def __init__(self, key, model, dimensions, url, price):
        self.model_id = f"voyage-{model}-{dimensions}"  # begins with the name of the entry point
        self.dimensions = dimensions
        self.price_per_million_tokens_usd = price
        self._client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
        self._body = {"model": model, "output_dimension": dimensions}

    def embed(self, texts, kind):
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        role = "query" if kind == "query" else "document"
        texts = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        try:
            answer = self._client.post("/embeddings", json=self._body | {"input": texts, "input_type": role})
        except httpx.HTTPError as error:
            raise EmbedderUnavailable(f"Voyage cannot be reached ({type(error).__name__})") from None
        if answer.status_code == 429 or answer.status_code >= 500:
            pause = answer.headers.get("retry-after", "")
            raise EmbedderUnavailable(
                f"Voyage answers {answer.status_code}", float(pause) if pause.isdigit() else None,
                is_limit=answer.status_code == 429,
            )  # fmt: skip
        if answer.status_code != 200:
            raise EmbedderRefused(f"Voyage answers {answer.status_code}; look at the key, the credit and the model")
        try:
            rows = {item["index"]: item["embedding"] for item in answer.json()["data"]}
            return np.array([rows[number] for number in range(len(texts))], dtype=np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise BadVectors(f"Voyage answers with something else than embeddings ({type(error).__name__})") from None

    def count_tokens(self, text):
        return min((len(text.encode("utf-8", "replace")) + 3) // 4, self.limits.tokens_a_text)
