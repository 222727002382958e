"""The OpenAPI document: FastAPI's own, corrected where this service answers differently."""

from typing import Any

from fastapi import FastAPI

_KEY = "apiKey"


class SearchApp(FastAPI):
    """FastAPI, whose document tells of our errors and of the optional key."""

    def openapi(self) -> dict[str, Any]:
        """The document; made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            schemas = document["components"]["schemas"]
            for operation in (operation for methods in document["paths"].values() for operation in methods.values()):
                operation["responses"].pop("422", None)  # a malformed request is answered with 400
                operation["security"] = [{}, {_KEY: []}]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            document["components"]["securitySchemes"] = {
                _KEY: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Opens every scope, and the source file of each page.",
                }
            }
        assert self.openapi_schema is not None
        return self.openapi_schema
