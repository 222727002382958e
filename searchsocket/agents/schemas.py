"""JSON schemas as the protocol lists them: what a model or a validator reads, and nothing that only costs tokens."""

import json
from collections.abc import Mapping
from typing import Any

_NAMES = ("properties", "$defs")  # whose keys are names of fields, and no words of the schema
# What a model never sees, and what no validator needs to know the shape: the text of an answer says what is what.
_PROSE = frozenset({"description", "examples", "default", "minimum", "maximum"})
_REF = "#/$defs/"


def without_titles(value: Any) -> Any:
    """A schema without the titles that are made from names; an argument may be called `title`."""
    return _without(value, frozenset({"title"}))


def shape_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Names, types and what is required, which is what clients check answers by; each part in its only place."""
    bare = _with_short_types(_without(schema, _PROSE | {"title"}))
    parts: dict[str, Any] = bare.pop("$defs", {})
    text = json.dumps([bare, parts])
    shared = {name for name in parts if text.count(f'"{_REF}{name}"') > 1}
    definitions = {name: _inlined(part, parts, shared) for name, part in parts.items() if name in shared}
    return {**({"$defs": definitions} if definitions else {}), **_inlined(bare, parts, shared)}


def _without(value: Any, words: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_without(one, words) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: {key: _without(inner, words) for key, inner in one.items()} if name in _NAMES else _without(one, words)
        for name, one in value.items()
        if name not in words
    }


def _with_short_types(value: Any) -> Any:
    """`{"type": ["string", "null"]}` instead of a union of two schemas that each say a type alone."""
    if isinstance(value, list):
        return [_with_short_types(one) for one in value]
    if not isinstance(value, dict):
        return value
    kinds = value.get("anyOf", ())
    if kinds and all(isinstance(one, dict) and one.keys() == {"type"} for one in kinds):
        rest = {name: one for name, one in value.items() if name != "anyOf"}
        return {**_with_short_types(rest), "type": [one["type"] for one in kinds]}
    return {name: _with_short_types(one) for name, one in value.items()}


def _inlined(value: Any, parts: Mapping[str, Any], shared: set[str]) -> Any:
    if isinstance(value, list):
        return [_inlined(one, parts, shared) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"$ref"} and (name := value["$ref"].removeprefix(_REF)) not in shared:
        return _inlined(parts[name], parts, shared)
    return {name: _inlined(one, parts, shared) for name, one in value.items()}
