"""Filters besides path and tags, and facets to count, validated against the settings."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast, get_args

from searchsocket.errors import InvalidRequest, UnknownFacet
from searchsocket.stores.base.labels import KIND, LANGUAGE
from searchsocket.text.facets import MAX_VALUE_CHARS, Facets, facet_label, facet_value, split_label
from searchsocket.types import ChunkKind, Filter

OWN_FILTERS = (LANGUAGE, KIND)
MAX_FILTERS = 20
MAX_FILTER_VALUES = 50  # of one of them

Filters = tuple[tuple[str, tuple[str, ...]], ...]  # name and values, of which one must be met
FacetCounts = Mapping[str, Mapping[str, int]]  # facet -> value -> pages

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,4}")


def checked_filters(filters: Filters, facets: Facets) -> Filters:
    """Filters in the spelling by which records are found, each name and value once.

    Raises:
        UnknownFacet: A name is neither `language` nor `kind`, nor a facet.
        InvalidRequest: A value is not of its type, or there are too many.
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
    """The facets to be counted, each once.

    Raises:
        UnknownFacet: The settings name no such facet.
    """
    for name in names:
        _check_name(name, list(facets))
    return tuple(dict.fromkeys(names))


def checked_language(value: str, name: str) -> str:
    """A language tag in the spelling by which records are found.

    Args:
        name: Name of the value in an error.

    Raises:
        InvalidRequest: It is no language tag.
    """
    if not _LANGUAGE.fullmatch(value):
        raise InvalidRequest(f"{name}: a language like en or pt-BR, not {value[:40]!r}")
    return value.lower().replace("_", "-")


def with_filters(where: Filter, filters: Filters) -> Filter:
    """A filter by path and tags, and by checked filters too."""
    named = dict(filters)
    return replace(
        where,
        languages=named.pop(LANGUAGE, ()),
        kinds=cast(tuple[ChunkKind, ...], named.pop(KIND, ())),
        facets=tuple(tuple(facet_label(name, value) for value in values) for name, values in named.items()),
    )


def count_pages(names: Sequence[str], urls: Sequence[str], stated: Iterable[tuple[str, ...]]) -> FacetCounts:
    """The number of distinct pages per value of the named facets, most frequent first.

    Args:
        urls: The page of each record; stated: its facets.
    """
    pages = dict(zip(urls, stated, strict=True))
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
    try:
        clean = facet_value(facets[name], value)
    except ValueError as error:
        raise InvalidRequest(f"filter {name}: {error}") from error
    if not clean:
        raise InvalidRequest(f"filter {name}: a value has from 1 to {MAX_VALUE_CHARS} characters")
    return clean
