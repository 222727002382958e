"""Filters and facets in the OpenAPI document: this project's names, each with its permitted values."""

from collections.abc import Iterable
from typing import Any, assert_never, get_args

from searchsocket.search.filters import MAX_FILTER_VALUES
from searchsocket.stores.base.labels import KIND, LANGUAGE
from searchsocket.text.facets import MAX_VALUE_CHARS, Facets
from searchsocket.types import ChunkKind, FacetKind

Schema = dict[str, Any]
_LANGUAGE = "[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}"
_NUMBER = "-?[0-9]{1,15}([.][0-9]{1,15})?"
_BOOLEAN = ("true", "false")
_ANYTHING = r".*\S.*"


def state_filters(schemas: dict[str, Schema], parameters: Iterable[Schema], facets: Facets) -> None:
    """Add this project's filters and facets to an OpenAPI document; the service refuses all others.

    Args:
        schemas: By name; `SearchRequest` and `FindRequest` are changed.
        parameters: Of the query string; `filter` and `facet` are changed.
    """
    filters = {
        LANGUAGE: _text(_LANGUAGE),
        KIND: _one_of(get_args(ChunkKind)),
        **{n: _value(k) for n, k in facets.items()},
    }
    for schema in (schemas["SearchRequest"], schemas["FindRequest"]):
        _object(schema["properties"]["filters"]).update(
            properties={name: _one_or_several(value) for name, value in filters.items()}, additionalProperties=False
        )
    patterns = {LANGUAGE: _LANGUAGE, KIND: "|".join(get_args(ChunkKind)), **{n: _pattern(k) for n, k in facets.items()}}
    pairs = "|".join(f"{name}:({pattern})" for name, pattern in patterns.items())
    facet_lists = [_list(schemas["SearchRequest"]["properties"]["facets"])]
    for parameter in parameters:
        match parameter["name"]:
            case "filter":
                parameter["schema"]["items"]["pattern"] = f"^({pairs})$"
            case "facet":
                facet_lists.append(parameter["schema"])
    for items in facet_lists:
        items.update({"items": _one_of(tuple(facets))} if facets else {"maxItems": 0})


def _object(schema: Schema) -> Schema:
    return next(option for option in schema["anyOf"] if option["type"] == "object")


def _list(schema: Schema) -> Schema:
    return next(option for option in schema["anyOf"] if option["type"] == "array")


def _value(kind: FacetKind) -> Schema:
    """JSON schema of a facet's filter value."""
    match kind:
        case "string" | "strings":
            return {"anyOf": [_text(_ANYTHING), {"type": "boolean"}, {"type": "number"}]}
        case "number":
            return {"anyOf": [_text(_NUMBER), {"type": "number"}]}
        case "boolean":
            return {"anyOf": [_one_of(_BOOLEAN), {"type": "boolean"}]}
        case _:
            assert_never(kind)


def _pattern(kind: FacetKind) -> str:
    """Regular expression of a facet's filter value in a query string."""
    return _NUMBER if kind == "number" else "|".join(_BOOLEAN) if kind == "boolean" else _ANYTHING


def _text(pattern: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": MAX_VALUE_CHARS, "pattern": f"^({pattern})$"}


def _one_of(values: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(values)}


def _one_or_several(value: Schema) -> Schema:
    return {"anyOf": [value, {"type": "array", "items": value, "minItems": 1, "maxItems": MAX_FILTER_VALUES}]}
