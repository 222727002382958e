"""Filters and facets in the OpenAPI document: those of this project by name, each with what it takes."""

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
    """Say in a document which filters and facets this service takes: all others are refused.

    Args:
        schemas: By name, of which `SearchRequest` and `FindRequest` are changed.
        parameters: Of the query string, of which `filter` and `facet` are.
    """
    named = {
        LANGUAGE: _text(_LANGUAGE),
        KIND: _one_of(get_args(ChunkKind)),
        **{n: _value(k) for n, k in facets.items()},
    }
    for schema in (schemas["SearchRequest"], schemas["FindRequest"]):
        _object(schema["properties"]["filters"]).update(
            properties={name: _one_or_several(value) for name, value in named.items()}, additionalProperties=False
        )
    patterns = {LANGUAGE: _LANGUAGE, KIND: "|".join(get_args(ChunkKind)), **{n: _written(k) for n, k in facets.items()}}
    pairs = "|".join(f"{name}:({pattern})" for name, pattern in patterns.items())
    counted = [_list(schemas["SearchRequest"]["properties"]["facets"])]
    for parameter in parameters:
        match parameter["name"]:
            case "filter":
                parameter["schema"]["items"]["pattern"] = f"^({pairs})$"
            case "facet":
                counted.append(parameter["schema"])
    for items in counted:
        items.update({"items": _one_of(tuple(facets))} if facets else {"maxItems": 0})


def _object(schema: Schema) -> Schema:
    return next(one for one in schema["anyOf"] if one["type"] == "object")


def _list(schema: Schema) -> Schema:
    return next(one for one in schema["anyOf"] if one["type"] == "array")


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


def _written(kind: FacetKind) -> str:
    """Schema of a facet's filter value in a query string."""
    return _NUMBER if kind == "number" else "|".join(_BOOLEAN) if kind == "boolean" else _ANYTHING


def _text(pattern: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": MAX_VALUE_CHARS, "pattern": f"^({pattern})$"}


def _one_of(values: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(values)}


def _one_or_several(value: Schema) -> Schema:
    return {"anyOf": [value, {"type": "array", "items": value, "minItems": 1, "maxItems": MAX_FILTER_VALUES}]}
