"""Filters as options of commands say them."""

import click

Named = tuple[str, tuple[str, ...]]


def each(name: str, values: tuple[str, ...]) -> tuple[Named, ...]:
    """A filter of several values of which one must be met; none where there are no values."""
    return ((name, values),) if values else ()


def named_filter(text: str) -> Named:
    """A filter of one value, from `name=value`."""
    name, mark, value = text.partition("=")
    if not mark:
        raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--filter")
    return name, (value,)
