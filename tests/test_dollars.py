"""Sums of money as people read them."""

import pytest

from searchsocket.dollars import dollars


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (0.0, "$0"),
        (1e-9, "< $0.0001"),
        (0.00009, "< $0.0001"),
        (0.0001, "$0.0001"),
        (0.25, "$0.2500"),
        (12.0, "$12.0000"),
    ],
)
def test_little_is_not_nothing(amount: float, said: str) -> None:
    """A small bill was printed as `$0.0000`."""
    assert dollars(amount) == said
