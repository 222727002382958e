"""Types of options that are numbers, with bounds that are explained in our own words."""

from typing import Any

import click


def _bounds(noun: str, least: float | None, most: float | None) -> str:
    low, high = (f"{bound:,.12g}" if bound is not None else "" for bound in (least, most))
    if low and high:
        return f"must be {noun} from {low} to {high}"
    return f"must be {noun}, {low} or more" if low else f"must be {noun}, {high} or less" if high else f"must be {noun}"


class WholeNumber(click.IntRange):
    """A whole number from `min` to `max`; None: without that bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(_bounds("a whole number", self.min, self.max), param, ctx)


class DecimalNumber(click.FloatRange):
    """A number that may have decimals, from `min` to `max`; None: without that bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(_bounds("a number", self.min, self.max), param, ctx)
