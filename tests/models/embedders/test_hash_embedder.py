"""The hashing embedder."""

import subprocess
import sys

import numpy as np
import pytest

from searchsocket.models.embedders import make_embedder
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.project.settings.model import EmbeddingSettings
from searchsocket.testing.embedder import EmbedderContract

_DIGEST = (
    "import hashlib; from searchsocket.models.embedders.hash import HashEmbedder; "
    "rows = HashEmbedder().embed(['Install useState in snake_case 漢字'], 'query'); "
    "print(hashlib.sha256(rows.tobytes()).hexdigest())"
)


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashEmbedder:
        return HashEmbedder()

    def test_vectors_are_the_same_for_ever(self) -> None:
        """Whole-number sums: the same bits on every machine, whatever the hash seed."""
        for seed in ("0", "1"):
            run = subprocess.run(
                [sys.executable, "-c", _DIGEST],
                env={"PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            )
            assert run.stdout.strip() == "9147eaa1d894e75de9774ccbca4a078d92fdaf6333c73ab95b9d03002addc870"

    def test_queries_and_passages_are_embedded_alike(self, embedder: HashEmbedder) -> None:
        assert np.array_equal(embedder.embed(["a text"], "query"), embedder.embed(["a text"], "passage"))

    def test_identifiers_are_near_their_words(self, embedder: HashEmbedder) -> None:
        code, words, other = embedder.embed(["useBeforeUnload", "before unload", "static adapter"], "query")
        assert code @ words > 0.3 > code @ other

    def test_common_words_weigh_little(self, embedder: HashEmbedder) -> None:
        query, topic, filler = embedder.embed(["how to prune the scopes", "prune scopes", "how to do the"], "query")
        assert query @ topic > 2 * (query @ filler)

    def test_a_flood_of_new_words_does_not_fill_the_memory(
        self, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("searchsocket.models.embedders.hash._MAX_CACHED_WORDS", 100)
        text = " ".join(f"word{n}" for n in range(1000))
        assert np.array_equal(embedder.embed([text], "query"), HashEmbedder().embed([text], "query"))
        assert len(embedder._features) <= 100


def test_the_configured_embedder_is_made_with_the_configured_price() -> None:
    assert make_embedder(EmbeddingSettings(), {}).price_per_million_tokens_usd == 0.0
    priced = make_embedder(EmbeddingSettings(provider="hash", price_per_million_tokens_usd=0.5), {})
    assert priced.price_per_million_tokens_usd == 0.5
