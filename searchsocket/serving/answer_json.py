"""Answers as JSON, in the same shape for every interface (spec 14.1): the fields of their dataclasses in camelCase."""

from functools import cache

from pydantic import TypeAdapter

from searchsocket.search.wire import SOURCES, Wire


def to_json(answer: Wire, *, sources: bool) -> bytes:
    """Serialize an answer to JSON; NaN and infinity become null.

    Args:
        sources: Include the source files of pages, which only trusted callers may see.
    """
    kind: object = type(answer)
    return _adapter(kind).dump_json(answer, by_alias=True, context=SOURCES if sources else None)


@cache
def _adapter(kind: type[object]) -> TypeAdapter[object]:
    """The JSON adapter for dataclasses of one type."""
    return TypeAdapter(kind)
