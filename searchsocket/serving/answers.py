"""Answers as JSON, in the same shape for every interface, and public messages of errors (spec 14)."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from searchsocket.errors import (
    Busy,
    InvalidRequest,
    PageNotFound,
    RateLimited,
    SearchSocketError,
    Unauthorized,
)
from searchsocket.search.wire import SOURCES, Wire
from searchsocket.text.hidden import visible_json

_CAPITAL = re.compile("[A-Z]")


def to_json(answer: Wire, *, sources: bool) -> bytes:
    """Serialize an answer to JSON, with hidden characters escaped; NaN and infinity become null.

    Args:
        sources: Include the source files of pages, which only trusted callers may see.
    """
    kind: object = type(answer)
    return visible_json(_adapter(kind).dump_json(answer, by_alias=True, context=SOURCES if sources else None))


@cache
def _adapter(kind: type[object]) -> TypeAdapter[object]:
    """The JSON adapter for dataclasses of one type."""
    return TypeAdapter(kind)


INTERNAL = "internal error in the search service"
# Messages of these errors contain only what the caller sent or may know; all others stay internal.
_OWN_WORDS = (Busy, InvalidRequest, PageNotFound, RateLimited, Unauthorized)
_PUBLIC = {
    "SCOPE_NOT_INDEXED": "this scope has no index",
    "CONFIG_MISSING": "the search service is not fully configured",
    "CONFIG_INVALID": "the search service is misconfigured",
    "EMBEDDING_MODEL_MISMATCH": "the index was made with another embedding model; the site must be indexed again",
    "EMBEDDER_UNAVAILABLE": "the embedding service cannot be reached; try again later",
    "EMBEDDER_REFUSED": "the embedding service rejects requests",
    "VECTOR_BACKEND_UNAVAILABLE": "the search index cannot be reached; try again later",
    "VECTOR_BACKEND_REFUSED": "the search index cannot be used; its operator must fix it",
    "ARTIFACTS_UNAVAILABLE": "the search index cannot be downloaded; try again later",
    "ARTIFACT_INVALID": "the downloaded search index is invalid",
    "INDEX_CORRUPT": "the search index cannot be read",
    "INDEX_FORMAT": "the search index was written by another release",
    "NEWER_RELEASE": "the search index was written by another release",
    "PAGE_TEXTS_MISSING": "the index has no page texts yet; index the site again",
    "STATE_UNAVAILABLE": "the search service cannot read its data; try again later",
    "PERMISSION_DENIED": "the search service has no permission to read its data; its operator must fix it",
    "PROJECT_MISMATCH": "the search service has the index of another project; its operator must fix it",
}
_MAX_MESSAGE_CHARS = 500


def public_message(error: SearchSocketError) -> str:
    """The public message of an error."""
    if isinstance(error, _OWN_WORDS):
        return str(error)[:_MAX_MESSAGE_CHARS]
    return _PUBLIC.get(error.code, INTERNAL)


def text_lines(answer: Wire) -> Iterator[str]:
    """Yield any answer as text: a line per field; more lines of a text, and the entries of a list, are indented."""
    yield from _field_lines(json.loads(to_json(answer, sources=True)))


def _field_lines(data: Mapping[str, Any]) -> Iterator[str]:
    for name, value in data.items():
        if value not in (None, "", [], {}):
            yield from _value_lines(_CAPITAL.sub(lambda letter: f" {letter[0].lower()}", name), value)


def _value_lines(name: str, value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield f"{name}:"
        yield from (f"  {line}" for line in _field_lines(value))
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        yield f"{name}:"
        for entry in value:
            first, *rest = [*_field_lines(entry)] or ["-"]
            yield from (f"  - {first}", *(f"    {line}" for line in rest))
    else:
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        first, *rest = text.split("\n")
        yield from (f"{name}: {first}", *(f"  {line}" for line in rest))
