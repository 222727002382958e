"""The OpenAPI document: FastAPI's own, corrected where this service answers differently."""

import json
from collections.abc import Iterable
from typing import Any, assert_never, get_args

from fastapi import FastAPI

from searchsocket.search.filters import COMPARISON, MAX_FILTER_VALUES
from searchsocket.stores.base.labels import KIND, LANGUAGE
from searchsocket.system.json_text import JsonObject
from searchsocket.text.facets import MAX_VALUE_CHARS, Facets
from searchsocket.types import ChunkKind, FacetKind

_KEY = "apiKey"

# Public names of the types, as generated clients use them.
_NAMES = {
    "Explanation": "ExplanationModel",
    "ContentSource": "Source",
    "DocumentMatch": "FoundDocument",
    "AskAnswer": "AskResponse",
    "IndexReference": "AskedIndex",
    "ContentAnswer": "ContentSearchResponse",
    "DocumentDataAnswer": "DocumentDataResponse",
    "DocumentTextAnswer": "DocumentTextResponse",
    "DocumentsAnswer": "DocumentsResponse",
    "FindAnswer": "FindResponse",
    "Occurrence": "OccurrenceModel",
    "PageAnswer": "PageResponse",
    "RelatedAnswer": "RelatedResponse",
    "RelatedPage": "RelatedPageModel",
    "Result": "ResultModel",
    "SearchAnswer": "SearchResponse",
    "SectionResult": "SectionModel",
    "ServiceHealth": "HealthResponse",
}
_LANGUAGE = "[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}"
_COMPARED = f"({COMPARISON})?-?[0-9]{{1,15}}([.][0-9]{{1,15}})?"
_BOOLEAN = ("true", "false")
_ANYTHING = r".*\S.*"


class SearchApp(FastAPI):
    """FastAPI, with our errors, the optional key, this project's facets and its reranker in the document."""

    def __init__(self, *, facets: Facets, reranks: bool, **options: Any) -> None:
        super().__init__(**options)
        self._facets = facets
        self._reranks = reranks

    def openapi(self) -> JsonObject:
        """Return the document; it is built once."""
        if self.openapi_schema is None:
            document = super().openapi()
            for operation in (operation for methods in document["paths"].values() for operation in methods.values()):
                operation["responses"].pop("422", None)  # a malformed request is answered with 400
                operation["security"] = [{}, {_KEY: []}]
            schemas = document["components"]["schemas"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            for name in schemas:
                if name.endswith("Request"):
                    _describe_defaults(schemas[name])
            gets = (methods["get"] for methods in document["paths"].values() if "get" in methods)
            parameters = [parameter for operation in gets for parameter in operation.get("parameters", ())]
            state_filters(schemas, parameters, self._facets)
            if not self._reranks:
                _refuse_rerank(schemas["SearchRequest"], parameters)
            document["components"]["securitySchemes"] = {
                _KEY: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Gives access to every scope and to source file paths.",
                }
            }
            self.openapi_schema = _rename_types(document)
        return self.openapi_schema


def _describe_defaults(schema: JsonObject) -> None:
    """Move defaults to descriptions: generators treat a field with a default as always present."""
    for field in schema["properties"].values():
        default = field.pop("default", None)
        if default is not None:
            field["description"] = f"{field.get('description', '')} Default: {json.dumps(default)}.".lstrip()


def _refuse_rerank(request: JsonObject, parameters: list[JsonObject]) -> None:
    """Allow only false for `rerank`, since there is no reranker."""
    schemas = [parameter["schema"] for parameter in parameters if parameter["name"] == "rerank"]
    for schema in (request["properties"]["rerank"], *schemas):
        schema["const"] = False


def _rename_types(document: JsonObject) -> JsonObject:
    """Return the document with the public names of the types."""
    schemas = document["components"]["schemas"]
    for name, public in _NAMES.items():
        schemas[public] = schemas.pop(name) | {"title": public}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    text = json.dumps(document)
    for name, public in _NAMES.items():
        text = text.replace(f'"#/components/schemas/{name}"', f'"#/components/schemas/{public}"')
    public_document: JsonObject = json.loads(text)
    return public_document


def state_filters(schemas: dict[str, JsonObject], parameters: Iterable[JsonObject], facets: Facets) -> None:
    """Add this project's filters and facets to an OpenAPI document; the service refuses all others.

    Args:
        schemas: By name; those with `filters`, and the facets of `SearchRequest`, are changed.
        parameters: Of the query string; `filter` and `facet` are changed.
    """
    filters = {
        LANGUAGE: _text(_LANGUAGE),
        KIND: _one_of(get_args(ChunkKind)),
        **{n: _value(k) for n, k in facets.items()},
    }
    for schema in schemas.values():
        if allowed := schema.get("properties", {}).get("filters"):
            _object(allowed).update(
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


def _object(schema: JsonObject) -> JsonObject:
    return next(option for option in schema["anyOf"] if option["type"] == "object")


def _list(schema: JsonObject) -> JsonObject:
    return next(option for option in schema["anyOf"] if option["type"] == "array")


def _value(kind: FacetKind) -> JsonObject:
    """JSON schema of a facet's filter value."""
    match kind:
        case "string" | "strings":
            return {"anyOf": [_text(_ANYTHING), {"type": "boolean"}, {"type": "number"}]}
        case "number":
            return {"anyOf": [_text(_COMPARED), {"type": "number"}]}
        case "boolean":
            return {"anyOf": [_one_of(_BOOLEAN), {"type": "boolean"}]}
        case _:
            assert_never(kind)


def _pattern(kind: FacetKind) -> str:
    """Regular expression of a facet's filter value in a query string."""
    return _COMPARED if kind == "number" else "|".join(_BOOLEAN) if kind == "boolean" else _ANYTHING


def _text(pattern: str) -> JsonObject:
    return {"type": "string", "minLength": 1, "maxLength": MAX_VALUE_CHARS, "pattern": f"^({pattern})$"}


def _one_of(values: tuple[str, ...]) -> JsonObject:
    return {"type": "string", "enum": list(values)}


def _one_or_several(value: JsonObject) -> JsonObject:
    return {"anyOf": [value, {"type": "array", "items": value, "minItems": 1, "maxItems": MAX_FILTER_VALUES}]}
