"""How a sum of money is written: nothing is nothing, and little is not nothing."""

_SMALLEST = 0.0001


def dollars(amount: float) -> str:
    """`$0`, `< $0.0001`, `$0.0123`."""
    if 0 < amount < _SMALLEST:
        return f"< ${_SMALLEST}"
    return f"${amount:.4f}" if amount else "$0"
