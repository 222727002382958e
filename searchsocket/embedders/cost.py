"""What embedding costs, before it is done (spec 21)."""

from collections.abc import Mapping

from searchsocket.errors import ConfigError

# US dollars a million tokens. The OpenAI figures are its list prices (platform.openai.com/docs/pricing, 2025);
# `embeddings.price_per_million_tokens_usd` overrides them.
PRICES_PER_MILLION_TOKENS_USD: Mapping[str, float] = {
    "builtin": 0.0,
    "hash-512-v1": 0.0,
    "local": 0.0,
    "text-embedding-3-large": 0.13,
    "text-embedding-3-small": 0.02,
}


def price_of(model: str, override: float | None = None) -> float:
    """US dollars a million tokens: the configured price, else the one in the table.

    Raises:
        ConfigError: The model is not in the table and no price is configured; a budget over an unknown price
            would be no budget.
    """
    if override is not None:
        return override
    if model not in PRICES_PER_MILLION_TOKENS_USD:
        raise ConfigError(
            f"the price of embedding model {model!r} is not known; set embeddings.price_per_million_tokens_usd"
        )
    return PRICES_PER_MILLION_TOKENS_USD[model]


def estimate(tokens: int, price_per_million_tokens_usd: float) -> float:
    """Cost in US dollars of embedding `tokens`."""
    return tokens * price_per_million_tokens_usd / 1_000_000


def estimate_tokens(text: str) -> int:
    """Tokens of `text` where no tokenizer is at hand: a quarter of its UTF-8 bytes, rounded up.

    About right for English and code; three bytes a character make it three tokens for four Chinese characters.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return (size + 3) // 4
