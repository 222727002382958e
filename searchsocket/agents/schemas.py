"""Reduce JSON schemas to the parts that a model or a validator needs, to save tokens."""

import json
from collections.abc import Mapping
from typing import Any

_NAMES = ("properties", "$defs")  # their keys are names of fields, not schema keywords
# Keywords that a validator of the shape does not need; the text of an answer explains the fields to the model.
_PROSE = frozenset({"description", "examples", "default", "minimum", "maximum"})
_REF = "#/$defs/"


def without_titles(value: Any) -> Any:
    """Remove generated titles from a schema; an argument may still have the name `title`."""
    return _without(value, frozenset({"title"}))


def shape_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce a schema to names, types and required fields, for clients that validate answers.

    Definitions that are used once are inlined.
    """
    bare = _with_short_types(_without(schema, _PROSE | {"title"}))
    parts: dict[str, Any] = bare.pop("$defs", {})
    text = json.dumps([bare, parts])
    shared = {name for name in parts if text.count(f'"{_REF}{name}"') > 1}
    definitions = {name: _inline(part, parts, shared) for name, part in parts.items() if name in shared}
    return {**({"$defs": definitions} if definitions else {}), **_inline(bare, parts, shared)}


def _without(value: Any, words: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_without(item, words) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: {key: _without(inner, words) for key, inner in item.items()} if name in _NAMES else _without(item, words)
        for name, item in value.items()
        if name not in words
    }


def _with_short_types(value: Any) -> Any:
    """Replace unions of plain types by the short form: `{"type": ["string", "null"]}`."""
    if isinstance(value, list):
        return [_with_short_types(item) for item in value]
    if not isinstance(value, dict):
        return value
    kinds = value.get("anyOf", ())
    if kinds and all(isinstance(kind, dict) and kind.keys() == {"type"} for kind in kinds):
        others = {name: item for name, item in value.items() if name != "anyOf"}
        return {**_with_short_types(others), "type": [kind["type"] for kind in kinds]}
    return {name: _with_short_types(item) for name, item in value.items()}


def _inline(value: Any, parts: Mapping[str, Any], shared: set[str]) -> Any:
    if isinstance(value, list):
        return [_inline(item, parts, shared) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"$ref"} and (name := value["$ref"].removeprefix(_REF)) not in shared:
        return _inline(parts[name], parts, shared)
    return {name: _inline(item, parts, shared) for name, item in value.items()}
