"""Contract of every embedder. A subclass supplies an `embedder` fixture."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from searchsocket.models.embedders.base import Embedder

TEXTS = [
    "Install the package with npm",
    "",
    " \n\t",
    "…!?",
    "naïve café 漢字かな 한국어 עברית",
    "👩‍👩‍👧‍👦🇫🇷👍🏽",
    "a\x00b\x07c",
    "snake_case camelCase kebab-case `code()`",
    "word " * 50,
    "\ud800 alone",
]


class EmbedderContract:
    """The cases that every embedder passes."""

    def same(self, embedder: Embedder, left: np.ndarray, right: np.ndarray) -> bool:
        return left.shape == right.shape and bool(np.all(np.abs(left - right) <= embedder.tolerance))

    @pytest.mark.parametrize("kind", ["passage", "query"])
    def test_rows_are_finite_unit_vectors_of_the_stated_size(self, embedder: Embedder, kind: str) -> None:
        """No text, however odd, may produce a vector that a store refuses."""
        rows = embedder.embed(TEXTS, kind)  # type: ignore[arg-type]
        assert rows.shape == (len(TEXTS), embedder.dimensions)
        assert rows.dtype == np.float32
        assert np.all(np.isfinite(rows))
        assert np.allclose(np.linalg.norm(rows.astype(np.float64), axis=1), 1.0, atol=1e-4)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed([], "passage").shape == (0, embedder.dimensions)

    def test_a_text_has_one_vector_in_any_batch_and_order(self, embedder: Embedder) -> None:
        """Otherwise the cache would contain vectors that another run would not produce."""
        together = embedder.embed(TEXTS, "passage")
        alone = np.vstack([embedder.embed([text], "passage") for text in TEXTS])
        backwards = embedder.embed(TEXTS[::-1], "passage")[::-1]
        doubled = embedder.embed(TEXTS + TEXTS, "passage")[len(TEXTS) :]
        assert all(self.same(embedder, together, other) for other in (alone, backwards, doubled))

    def test_threads_share_one_embedder(self, embedder: Embedder) -> None:
        texts = [f"{text} number {n}" for n in range(20) for text in TEXTS]
        expected = embedder.embed(texts, "passage")
        with ThreadPoolExecutor(4) as pool:
            vectors = list(pool.map(lambda text: embedder.embed([text], "passage")[0], texts))
        assert self.same(embedder, np.vstack(vectors), expected)

    def test_a_huge_text_is_embedded(self, embedder: Embedder) -> None:
        assert embedder.embed(["long text " * 100_000], "passage").shape == (1, embedder.dimensions)

    def test_likeness_is_seen(self, embedder: Embedder) -> None:
        near, far, query = embedder.embed(
            ["How to install the package", "Colours of autumn leaves", "installing packages"], "passage"
        )
        assert near @ query > far @ query

    def test_tokens_are_counted(self, embedder: Embedder) -> None:
        assert embedder.count_tokens("") <= embedder.count_tokens("word") < embedder.count_tokens("word " * 100)
        assert all(embedder.count_tokens(text) >= 0 for text in TEXTS)

    def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        assert embedder.model_id
        assert embedder.dimensions > 0
        assert embedder.limits.texts > 0
        assert 0 < embedder.limits.tokens_a_text <= embedder.limits.tokens
        assert 0.0 <= embedder.tolerance < 0.01
        assert embedder.price_per_million_tokens_usd >= 0
