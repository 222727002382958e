"""Sums of money as people read them."""

import pytest

from searchsocket.dollars import dollars, exact_dollars


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (0.0, "$0"),
        (1e-9, "< $0.0001"),
        (0.00009, "< $0.0001"),
        (0.0001, "$0.0001"),
        (0.25, "$0.2500"),
        (12.0, "$12.0000"),
    ],
)
def test_little_is_not_nothing(amount: float, expected: str) -> None:
    """A small bill was printed as `$0.0000`."""
    assert dollars(amount) == expected


@pytest.mark.parametrize(
    ("amount", "expected"), [(0.0, "$0"), (0.0000347, "$0.000035"), (1e-9, "$0.0000000010"), (0.25, "$0.2500")]
)
def test_sums_that_are_compared_are_told_apart(amount: float, expected: str) -> None:
    """About < $0.0001 was over the budget of < $0.0001."""
    assert exact_dollars(amount) == expected
