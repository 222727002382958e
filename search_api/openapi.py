"""The OpenAPI document: FastAPI's own, corrected where this service answers differently."""

import json
from typing import Any

from fastapi import FastAPI

from search_api.facet_schemas import state_filters
from searchsocket.serving.capabilities.ask import ANSWERS
from searchsocket.serving.capabilities.content import CONTENT
from searchsocket.serving.capabilities.pages import PAGES
from searchsocket.text.facets import Facets

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
_REQUESTS = sorted({each.request.__name__ for each in (*PAGES, *CONTENT, *ANSWERS) if each.http.post})


class SearchApp(FastAPI):
    """FastAPI, with our errors, the optional key, this project's facets and its reranker in the document."""

    def __init__(self, *, facets: Facets, reranks: bool, **options: Any) -> None:
        super().__init__(**options)
        self._facets = facets
        self._reranks = reranks

    def openapi(self) -> dict[str, Any]:
        """Return the document; it is built once."""
        if self.openapi_schema is None:
            document = super().openapi()
            for operation in (operation for methods in document["paths"].values() for operation in methods.values()):
                operation["responses"].pop("422", None)  # a malformed request is answered with 400
                operation["security"] = [{}, {_KEY: []}]
            schemas = document["components"]["schemas"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            for name in _REQUESTS:
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


def _describe_defaults(schema: dict[str, Any]) -> None:
    """Move defaults to descriptions: generators treat a field with a default as always present."""
    for field in schema["properties"].values():
        default = field.pop("default", None)
        if default is not None:
            field["description"] = f"{field.get('description', '')} Default: {json.dumps(default)}.".lstrip()


def _refuse_rerank(request: dict[str, Any], parameters: list[dict[str, Any]]) -> None:
    """Allow only false for `rerank`, since there is no reranker."""
    schemas = [parameter["schema"] for parameter in parameters if parameter["name"] == "rerank"]
    for schema in (request["properties"]["rerank"], *schemas):
        schema["const"] = False


def _rename_types(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with the public names of the types."""
    schemas = document["components"]["schemas"]
    for name, public in _NAMES.items():
        schemas[public] = schemas.pop(name) | {"title": public}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    text = json.dumps(document)
    for name, public in _NAMES.items():
        text = text.replace(f'"#/components/schemas/{name}"', f'"#/components/schemas/{public}"')
    public_document: dict[str, Any] = json.loads(text)
    return public_document
