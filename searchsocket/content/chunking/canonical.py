"""A record as canonical JSON, the form that is hashed and stored between runs. The field types define the format.

It has every field but those that differ between scopes, `id` and `scope`, and the hash of this text.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, lru_cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from searchsocket.system.json_text import JsonObject
from searchsocket.types import Chunk, PageFacts

_PAGE = ',"page":'
_CHUNK = ',"chunk":'
_AT = f'{_CHUNK}{{"at":'
_CACHED_PAGES = 64  # neighbouring records share a page and most of its facts
T = TypeVar("T")
_KIND = "kind_of"  # key for the type name in a union; no field has this name
# Fields with a default that are written even at their default, as the records of every index have them. A field that
# is not named here is left out at its default, so that adding it changes no hash. Add no name here.
_ALWAYS = {
    "PageFacts": (
        "description", "language", "tags", "facets", "weight", "published", "modified", "address", "route_file",
        "route_resolution", "source_file", "depth", "incoming_links", "link_texts",
    ),
    "Section": ("first", "last", "source_first", "source_last"),
    "Lines": ("heading_path", "parents", "signature", "doc", "exported", "defines"),
}  # fmt: skip


def canonical(head: Mapping[str, str], page: str, chunk: Chunk) -> str:
    """JSON of a record.

    Args:
        head: Every field by name that is not left out, but page and chunk.
        page: `as_json` of the page's facts, which all of its records share.
    """
    return f"{as_json(head)[:-1]}{_PAGE}{page}{_CHUNK}{as_json(chunk)}}}"


def head_of(text: str) -> dict[str, str]:
    """Parse the head fields, those beside `page` and `chunk`, from a canonical text.

    Raises:
        ValueError: The text is not canonical JSON of a record.
    """
    head: dict[str, str] = json.loads(text[: text.index(_PAGE)] + "}")
    return head


def with_head(text: str, head: Mapping[str, str]) -> str:
    """Return the canonical text of the same page and chunk with other head fields.

    Raises:
        ValueError: The text is not canonical JSON of a record.
    """
    return as_json(head)[:-1] + text[text.index(_PAGE) :]  # in a JSON string its quotes would be escaped


def parse_record(text: str) -> tuple[dict[str, str], PageFacts, Chunk]:
    """Parse a canonical text: the head fields, the page and the chunk.

    Raises:
        ValueError, TypeError, LookupError: The text is not a record of this version.
    """
    start = text.index(_PAGE)
    end = text.index(_AT, start)  # in a JSON string its quotes would be escaped
    return json.loads(text[:start] + "}"), _page_of(text[start + len(_PAGE) : end]), chunk_of(text)


def chunk_of(text: str) -> Chunk:
    """Parse only the chunk from a canonical text.

    Raises:
        ValueError, TypeError, LookupError: The text is not a record of this version.
    """
    start = text.index(_AT, text.index(_PAGE)) + len(_CHUNK)
    data, end = _decode(text, start)
    if text[end:] != "}":
        raise ValueError("a record does not end with its chunk")
    chunk: Chunk = _chunk(data)
    return chunk


@lru_cache(maxsize=_CACHED_PAGES)
def _page_of(text: str) -> PageFacts:
    page: PageFacts = _page(json.loads(text))
    return page


def _values(value: object) -> JsonObject:
    """Return the fields of a dataclass for JSON, without optional fields that have their default value."""
    kind: type = type(value)
    data = {name: getattr(value, name) for name in _names(kind)}
    for name, default in _optional_fields(kind):
        if (own := getattr(value, name)) != default:
            data[name] = own
    if kind in _members():
        data[_KIND] = kind.__name__
    return data


as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=_values).encode


_decode = json.JSONDecoder().raw_decode


@cache
def _names(kind: type) -> tuple[str, ...]:
    """The names of the fields that are always written."""
    always = _ALWAYS.get(kind.__name__, ())
    return tuple(field.name for field in fields(kind) if field.name in always or _default(field) is MISSING)


@cache
def _optional_fields(kind: type) -> tuple[tuple[str, object], ...]:
    """The optional fields, with their defaults."""
    always = _names(kind)
    return tuple((field.name, _default(field)) for field in fields(kind) if field.name not in always)


def _default(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


@cache
def _members() -> frozenset[type]:
    """The members of the union types among the fields of `Chunk`."""
    hints = get_type_hints(Chunk).values()
    return frozenset(member for hint in hints for member in get_args(hint) if isinstance(member, type))


@cache
def _parser(hint: object) -> Callable[[Any], Any] | None:
    """The converter from a JSON value to this type; None if no conversion is needed."""
    if isinstance(hint, type) and is_dataclass(hint):
        return _parser_of(hint)
    if any(map(is_dataclass, get_args(hint))):
        kinds = {member.__name__: _parser_of(member) for member in get_args(hint)}
        return lambda data: kinds[data[_KIND]](data)
    return tuple if get_origin(hint) is tuple else None


def _parser_of(kind: Callable[..., T]) -> Callable[[JsonObject], T]:
    parsers = {name: parse for name, hint in get_type_hints(kind).items() if (parse := _parser(hint))}

    def parse_value(data: JsonObject) -> T:
        values = dict(data)
        values.pop(_KIND, None)
        for name, parse in parsers.items():
            if name in values:
                values[name] = parse(values[name])
        return kind(**values)

    return parse_value


_page, _chunk = _parser_of(PageFacts), _parser_of(Chunk)
