"""Format amounts of money: zero is exact, and a small amount never looks like zero."""

from math import floor, log10

_SMALLEST = 0.0001


def dollars(amount: float) -> str:
    """`$0`, `< $0.0001`, `$0.0123`."""
    if 0 < amount < _SMALLEST:
        return f"< ${_SMALLEST}"
    return f"${amount:.4f}" if amount else "$0"


def exact_dollars(amount: float) -> str:
    """As `dollars`, with two digits of what is little: `$0.000035`. For sums that are compared."""
    if 0 < amount < _SMALLEST:
        return f"${amount:.{1 - floor(log10(amount))}f}"
    return dollars(amount)
