"""Numbers from outside, made fit to be compared."""

import math


def finite(value: float, default: float = 0.0) -> float:
    """`value`, or `default` where it is NaN or infinite: one NaN would break the order of all results."""
    return value if math.isfinite(value) else default


def clamp(value: float, low: float, high: float) -> float:
    """`value` held to [low, high]; `low` for NaN."""
    return min(max(value, low), high) if not math.isnan(value) else low
