"""The OpenAPI document: FastAPI's own, corrected where this service answers differently."""

import json
from typing import Any

from fastapi import FastAPI

_KEY = "apiKey"

# What types are called in clients that were generated from this document.
_NAMES = {
    "Explanation": "ExplanationModel",
    "PageAnswer": "PageResponse",
    "RelatedAnswer": "RelatedResponse",
    "RelatedPage": "RelatedPageModel",
    "Result": "ResultModel",
    "SearchAnswer": "SearchResponse",
    "Section": "SectionModel",
    "ServiceHealth": "HealthResponse",
}


class SearchApp(FastAPI):
    """FastAPI, whose document tells of our errors and of the optional key."""

    def openapi(self) -> dict[str, Any]:
        """The document; made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            for operation in (operation for methods in document["paths"].values() for operation in methods.values()):
                operation["responses"].pop("422", None)  # a malformed request is answered with 400
                operation["security"] = [{}, {_KEY: []}]
            for name in ("HTTPValidationError", "ValidationError"):
                document["components"]["schemas"].pop(name, None)
            document["components"]["securitySchemes"] = {
                _KEY: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Opens every scope, and the source file of each page.",
                }
            }
            self.openapi_schema = _renamed(document)
        return self.openapi_schema


def _renamed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the types' public names."""
    schemas = document["components"]["schemas"]
    for name, public in _NAMES.items():
        schemas[public] = schemas.pop(name) | {"title": public}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    text = json.dumps(document)
    for name, public in _NAMES.items():
        text = text.replace(f'"#/components/schemas/{name}"', f'"#/components/schemas/{public}"')
    renamed: dict[str, Any] = json.loads(text)
    return renamed
