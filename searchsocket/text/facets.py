"""Facet values of pages and filters, by the type in the settings."""

import math
from collections.abc import Callable, Mapping
from typing import assert_never

from searchsocket.types import FacetKind

MAX_VALUE_CHARS = 200
MAX_VALUES = 50  # of one facet on one page
_WHOLE = 1e15  # a whole number below it is written without an exponent
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})

Facets = Mapping[str, FacetKind]  # name -> type, from the settings
NO_FACETS: Facets = {}


def facet_label(name: str, value: str) -> str:
    """The label for a facet value, in pages and filters; names contain no `=`."""
    return f"{name}={value}"


def split_label(label: str) -> tuple[str, str]:
    """Name and value of a label."""
    name, _, value = label.partition("=")
    return name, value


def facet_value(kind: FacetKind, value: object) -> str:
    """Normalise one value for comparison; "" if there is none.

    Raises:
        ValueError: The value has another type, or is too long.
    """
    if value is not None and not isinstance(value, str | int | float) and not hasattr(value, "isoformat"):
        raise ValueError("a list or table instead of one value")
    text = "" if value is None else " ".join(str(value).split())
    if len(text) > MAX_VALUE_CHARS:
        raise ValueError(f"{len(text)} characters; the limit is {MAX_VALUE_CHARS}")
    match kind:
        case "string" | "strings":
            return text
        case "number":
            return _number(text)
        case "boolean":
            return _boolean(text)
        case _:
            assert_never(kind)


def read_facets(facets: Facets, value_of: Callable[[str], object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The facet values of a page as labels, and a warning for each value of another type.

    Args:
        value_of: Returns the page's value for a name: None, a value, or a list of values.
    """
    labels: list[str] = []
    warnings: list[str] = []
    for name, kind in sorted(facets.items()):
        try:
            values = _values(kind, value_of(name))
        except ValueError as error:
            warnings.append(f"facet {name} ({kind}): {error}: ignored")
        else:
            labels += [facet_label(name, value) for value in values]
    return tuple(labels), tuple(warnings)


def _values(kind: FacetKind, value: object) -> list[str]:
    """The distinct normalised values of a facet."""
    if kind == "strings":
        items = value if isinstance(value, list) else str("" if value is None else value).split(",")
        if len(items) > MAX_VALUES:
            raise ValueError(f"{len(items)} values; the limit is {MAX_VALUES}")
    else:
        items = [value]
    return list(dict.fromkeys(filter(None, (facet_value(kind, item) for item in items))))


def _number(text: str) -> str:
    if not text:
        return ""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]!r} is not a number")
    return str(int(number)) if abs(number) < _WHOLE and number.is_integer() else repr(number)


def _boolean(text: str) -> str:
    lower = text.lower()
    if lower and lower not in _TRUE | _FALSE:
        raise ValueError(f"{text[:40]!r} is neither true nor false")
    return "true" if lower in _TRUE else "false" if lower else ""
