"""Prices and estimates (spec 21)."""

import pytest

from searchsocket.errors import ConfigError
from searchsocket.models.paying.cost import estimate, estimate_tokens, price_of


def test_the_price_table_is_used_unless_a_price_is_configured() -> None:
    assert price_of("text-embedding-3-small") == 0.02
    assert price_of("hash-512-v1") == 0.0
    assert price_of("text-embedding-3-small", 7.0) == 7.0
    assert price_of("unheard-of", 0.0) == 0.0


def test_an_unknown_price_is_an_error_and_not_zero() -> None:
    """A budget over an unknown price would stop nothing."""
    with pytest.raises(ConfigError, match="price_per_million_tokens_usd"):
        price_of("unheard-of")


def test_the_estimate_is_tokens_times_price() -> None:
    assert estimate(2_500_000, 0.02) == pytest.approx(0.05)


def test_tokens_are_estimated_from_bytes() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde", "漢字漢字")] == [0, 1, 1, 2, 3]
