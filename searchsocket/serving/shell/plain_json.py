"""An answer as JSON without pydantic, byte for byte what `answer_json` writes for a reader who may see sources.

What a field says of itself (`search/shape.py`) decides as it does there.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from searchsocket.search.shape import Wire, camel_case


def plain_json(answer: Wire) -> str | None:
    """The JSON, or None where numbers would be spelled otherwise: there are infinite ones, or some with an exponent."""
    value = _plain(answer)
    if any(number != number or "e" in repr(number) or "inf" in repr(number) for number in _floats(value)):
        return None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {camel_case(name): _plain(inner) for name, inner in _written(value)}
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple | list) else value


def _written(value: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(value):
        inner = getattr(value, field.name)
        leaves_out = field.metadata.get("exclude_if")
        if not (field.metadata.get("exclude") or (leaves_out and leaves_out(inner))):
            yield field.name, inner


def _floats(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, Mapping):
        yield from (number for inner in value.values() for number in _floats(inner))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield from (number for inner in value for number in _floats(inner))
