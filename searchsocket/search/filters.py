"""Filters besides path and tags, and facets to count, validated against the settings."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import nan
from operator import ge, gt, le, lt
from typing import cast, get_args

from searchsocket.errors import InvalidRequest, UnknownFacet
from searchsocket.stores.base.labels import KIND, LANGUAGE
from searchsocket.text.facets import MAX_VALUE_CHARS, Facets, facet_label, facet_value, split_label
from searchsocket.types import ChunkKind, Filter

OWN_FILTERS = (LANGUAGE, KIND)
MAX_FILTERS = 20
MAX_FILTER_VALUES = 50  # per filter

Filters = tuple[tuple[str, tuple[str, ...]], ...]  # name and values; a page must have one of the values
FacetCounts = Mapping[str, Mapping[str, int]]  # facet -> value -> pages

COMPARISON = r"<=|>=|<|>"  # before the value of a number
_COMPARED = re.compile(rf"({COMPARISON})\s*(.+)", re.DOTALL)
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {"<=": le, ">=": ge, "<": lt, ">": gt}
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,4}")


def checked_filters(filters: Filters, facets: Facets) -> Filters:
    """Return the filters in the spelling of the index, without repeated names and values.

    Raises:
        UnknownFacet: A name is not `language`, `kind` or a configured facet.
        InvalidRequest: A value does not have its type, or there are too many.
    """
    values: dict[str, dict[str, None]] = {}
    for name, requested in filters:
        _check_name(name, [*OWN_FILTERS, *facets])
        values.setdefault(name, {}).update((_value(name, value, facets), None) for value in requested)
    for name, distinct in values.items():
        if not 1 <= len(distinct) <= MAX_FILTER_VALUES:
            raise InvalidRequest(f"filter {name}: from 1 to {MAX_FILTER_VALUES} values, not {len(distinct)}")
    return tuple((name, tuple(distinct)) for name, distinct in values.items())


def checked_counts(names: Sequence[str], facets: Facets) -> tuple[str, ...]:
    """Return the facets to count, without repetition.

    Raises:
        UnknownFacet: A facet is not configured.
    """
    for name in names:
        _check_name(name, list(facets))
    return tuple(dict.fromkeys(names))


def checked_language(value: str, name: str) -> str:
    """Return a language tag in the spelling of the index.

    Args:
        name: Name of the value in an error.

    Raises:
        InvalidRequest: The value is not a language tag.
    """
    if not _LANGUAGE.fullmatch(value):
        raise InvalidRequest(f"{name}: a language like en or pt-BR, not {value[:40]!r}")
    return value.lower().replace("_", "-")


def with_filters(where: Filter, filters: Filters) -> Filter:
    """Add checked filters to a filter by path and tags."""
    facets = dict(filters)
    return replace(
        where,
        languages=facets.pop(LANGUAGE, ()),
        kinds=cast(tuple[ChunkKind, ...], facets.pop(KIND, ())),
        facets=tuple(tuple(facet_label(name, value) for value in values) for name, values in facets.items()),
    )


def with_stated_values(filters: Filters, facets: Facets, labels: Callable[[], Iterable[str]]) -> Filters:
    """Replace comparisons in checked filters by the values that they select: those that pages state.

    A value is selected if it is named, or if all comparisons of its filter hold for it. A filter that selects nothing
    keeps the value "", which no page states.

    Args:
        facets: The configured facets; only numbers are compared.
        labels: Returns the facet labels of all pages.
    """
    numbers = [(name, values) for name, values in filters if facets.get(name) == "number"]
    compared = {name: comparisons for name, values in numbers if (comparisons := _comparisons(values))}
    if not compared:
        return filters
    selected: dict[str, list[str]] = {name: [] for name in compared}
    for name, value in map(split_label, labels()):
        if name in compared and all(holds(_float(value), bound) for holds, bound in compared[name]):
            selected[name].append(value)
    return tuple((name, _named(values, selected[name]) if name in compared else values) for name, values in filters)


def _comparisons(values: Sequence[str]) -> list[tuple[Callable[[float, float], bool], float]]:
    return [(_COMPARE[match[1]], float(match[2])) for match in map(_COMPARED.fullmatch, values) if match]


def _float(value: str) -> float:
    """The number; NaN, which no comparison selects, for a value that was indexed as another type."""
    try:
        return float(value)
    except ValueError:
        return nan


def _named(values: Sequence[str], selected: Sequence[str]) -> tuple[str, ...]:
    exact = [value for value in values if not _COMPARED.fullmatch(value)]
    return (*exact, *sorted({*selected} - {*exact})) or ("",)


def count_pages(names: Sequence[str], urls: Sequence[str], facets: Iterable[tuple[str, ...]]) -> FacetCounts:
    """Count the distinct pages per value of the named facets, most frequent first.

    Args:
        urls: The page of each record.
        facets: The facet labels of each record.
    """
    pages = dict(zip(urls, facets, strict=True))
    counts = Counter(split_label(label) for labels in pages.values() for label in labels)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {name: {value: count for (facet, value), count in ordered if facet == name} for name in names}


def _check_name(name: str, facets: Sequence[str]) -> None:
    if name not in facets:
        raise UnknownFacet(name, facets)


def _value(name: str, value: str, facets: Facets) -> str:
    if name == KIND:
        if value not in get_args(ChunkKind):
            raise InvalidRequest(f"filter kind: one of {', '.join(get_args(ChunkKind))}, not {value[:40]!r}")
        return value
    if name == LANGUAGE:
        return checked_language(value, "filter language")
    comparison = _COMPARED.fullmatch(value.strip()) if facets[name] == "number" else None
    try:
        clean = facet_value(facets[name], comparison[2] if comparison else value)
    except ValueError as error:
        raise InvalidRequest(f"filter {name}: {error}") from error
    if not clean:
        raise InvalidRequest(f"filter {name}: a value has from 1 to {MAX_VALUE_CHARS} characters")
    return f"{comparison[1]}{clean}" if comparison else clean
