"""Errors in the OpenAPI document."""

from typing import Annotated, Any

from pydantic import BaseModel, Field


class ErrorDetail(BaseModel):
    code: str
    message: str
    suggestions: Annotated[list[str] | None, Field(description="Similar pages.")] = None


class ErrorResponse(BaseModel):
    """Every error of this service."""

    error: ErrorDetail


def error_docs(**statuses: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI responses, e.g. `error_docs(s400="...")`."""
    return {int(status[1:]): {"model": ErrorResponse, "description": text} for status, text in statuses.items()}
