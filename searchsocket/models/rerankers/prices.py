"""Cost estimates for reranking (spec 13.2)."""

from collections.abc import Mapping

from searchsocket.models.paying.cost import listed_price

# US dollars a million tokens of query and texts: the price of a billion tokens at jina.ai, May 2025.
# `rerank.price_per_million_tokens_usd` overrides them.
PRICES_PER_MILLION_TOKENS_USD: Mapping[str, float] = {
    "jina-colbert-v2": 0.05,
    "jina-reranker-m0": 0.05,
    "jina-reranker-v2-base-multilingual": 0.05,
    "jina-reranker-v3": 0.05,
}


def price_of(model: str, override: float | None = None) -> float:
    """US dollars a million tokens: the configured price, else the one in the table.

    Raises:
        ConfigError: The model is not in the table and no price is configured; a budget over an unknown price
            would be no budget.
    """
    return listed_price(PRICES_PER_MILLION_TOKENS_USD, model, override, "reranker", "rerank")
