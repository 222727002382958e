"""A page of the mirror as text: front matter (spec 8.4), then Markdown."""

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Literal, NamedTuple, get_args, get_origin, get_type_hints

from searchsocket.content.pages import Page
from searchsocket.errors import IndexCorrupt
from searchsocket.system.json_text import JsonObject
from searchsocket.types import PageFacts, RouteResolution

_encode = json.JSONEncoder(ensure_ascii=False).encode
_SCOPE = re.compile(r"\nscope: .*")  # a value contains no line break
_LINE = re.compile(r"([A-Za-z][A-Za-z0-9]*): (.+)")
# Characters that YAML does not print in a quoted string, or that an editor or terminal hides.
_UNPRINTABLE = re.compile(
    "[\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)

# Front matter order (spec 8.4): the fields that people look for first; other fields follow in their defined order.
_FIRST = (
    "url", "address", "title", "scope", "route_file", "route_resolution", "source_file", "description", "language",
    "generated_at", "incoming_links", "outgoing_links", "depth", "link_texts",
)  # fmt: skip
_ALWAYS = frozenset({"url", "title", "route_resolution", "incoming_links", "outgoing_links", "depth"})


class _Field(NamedTuple):
    key: str  # in the file
    name: str
    of_facts: bool  # False: of the page itself
    kind: object  # `tuple[int, ...]` is distinguished from `tuple[str, ...]`
    default: object  # is left out, except for fields in `_ALWAYS`


def _all_fields() -> list[_Field]:
    """All front matter fields of a page, in the order of the file."""
    named_fields = []
    for owner in (PageFacts, Page):
        hints = get_type_hints(owner)
        for field in fields(owner):
            if field.name not in ("facts", "body"):
                head, *words = field.name.split("_")
                key = head + "".join(map(str.capitalize, words))
                kind = str if get_origin(hints[field.name]) is Literal else hints[field.name]
                default = None if field.name in _ALWAYS else "" if field.name == "scope" else field.default
                named_fields.append(_Field(key, field.name, owner is PageFacts, kind, default))
    return sorted(named_fields, key=lambda field: _FIRST.index(field.name) if field.name in _FIRST else len(_FIRST))


_FIELDS = {field.key: field for field in _all_fields()}


def render_page(page: Page) -> str:
    """Render the mirror file of a page: valid YAML above the Markdown, the same text for the same page.

    Every value is JSON, which YAML reads the same way; fields with their default value are left out.
    """
    lines = [f"{key}: {_json(value)}" for key, value in _front_matter(page)]
    return "\n".join(["---", *lines, "---", "", page.body, ""])


def body_line(page: Page) -> int:
    """The line of the mirror file on which the body begins, from 1."""
    return 4 + sum(1 for _ in _front_matter(page))


def _front_matter(page: Page) -> Iterator[tuple[str, object]]:
    """The front matter as (key, value) lines."""
    for key, name, of_facts, _, default in _FIELDS.values():
        value = getattr(page.facts if of_facts else page, name)
        if value != default:
            yield key, value


def parse_page(text: str) -> Page:
    """Parse a mirror file; the exact inverse of `render_page`.

    Raises:
        IndexCorrupt: The text is not what `render_page` writes: cut short, edited, or of another version.
    """
    head, mark, body = text.partition("\n---\n\n")
    if not mark or not head.startswith("---\n") or not body.endswith("\n"):
        raise IndexCorrupt("not a complete mirror page: it has no front matter, or its end is missing")
    values: tuple[JsonObject, JsonObject] = ({}, {})  # of the page, of its facts
    for line in head[4:].split("\n"):
        match = _LINE.fullmatch(line)
        field = _FIELDS.get(match[1]) if match else None
        if match is None or field is None:
            raise IndexCorrupt(f"mirror front matter has a line that was not written by the mirror: {line[:80]!r}")
        values[field.of_facts][field.name] = _value(match[1], match[2], field.kind)
    try:
        page = Page(PageFacts(**values[True]), **{"scope": "", **values[False]}, body=body[:-1])
    except TypeError as error:
        raise IndexCorrupt(f"mirror front matter is incomplete: {error}") from error
    if render_page(page) != text:
        raise IndexCorrupt("mirror front matter is not in the form that the mirror writes")
    return page


def page_digest(page: Page) -> str:
    """SHA-256 (hex) of everything in a page except `generated_at` and the name of its scope, so that scopes share it.

    A file without a scope has another digest, since its lines have other numbers.
    """
    return text_digest(render_page(page))


def text_digest(text: str) -> str:
    """`page_digest` from the text of a mirror file; any other text gives a digest that no page has."""
    head, mark, body = text.partition("\n---\n\n")
    lines = _of_scope(head, "").split("\n")
    timeless = "\n".join(line for line in lines if not line.startswith("generatedAt: "))
    return hashlib.sha256(f"{timeless}{mark}{body}".encode("utf-8", "surrogatepass")).hexdigest()


def text_of_scope(text: str, scope: str) -> str:
    """Convert the mirror file of a page to another scope that has the same page."""
    head, mark, body = text.partition("\n---\n\n")
    return f"{_of_scope(head, scope)}{mark}{body}"


def _of_scope(head: str, scope: str) -> str:
    return _SCOPE.sub(lambda _: f"\nscope: {_json(scope)}", head, count=1)


def _json(value: object) -> str:
    text = _encode(list(value) if isinstance(value, tuple) else value)
    return text if text.isprintable() else _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _value(key: str, text: str, kind: object) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise IndexCorrupt(f"mirror front matter: {key} is not JSON: {text[:80]!r}") from error
    if get_origin(kind) is tuple and isinstance(value, list) and all(type(item) is get_args(kind)[0] for item in value):
        return tuple(value)
    if kind is float and type(value) is float and math.isfinite(value):
        return value
    if type(value) is not kind or (key == "routeResolution" and value not in get_args(RouteResolution)):
        raise IndexCorrupt(f"mirror front matter: {key} has the invalid value {text[:80]!r}")
    return value
