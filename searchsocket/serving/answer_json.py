"""Answers as JSON, in one shape for every surface (spec 14.1): what their dataclasses say, in camelCase."""

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from searchsocket.search.wire import SOURCES, Wire


def to_json(answer: Wire, *, sources: bool) -> bytes:
    """An answer as JSON; numbers that are none are null.

    Args:
        sources: Whether its reader may see where pages come from.
    """
    kind: Any = type(answer)
    return _adapter(kind).dump_json(answer, by_alias=True, context=SOURCES if sources else None)


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """The JSON adapter for dataclasses of one type."""
    return TypeAdapter(kind)
