"""A page of the mirror as text: front matter of spec 8.4, then Markdown."""

import hashlib
import json
import math
import re
from dataclasses import replace
from typing import Any, get_args

from searchsocket.errors import IndexCorrupt
from searchsocket.types import Page, RouteResolution

_encode = json.JSONEncoder(ensure_ascii=False).encode
_LINE = re.compile(r"([A-Za-z]+): (.+)")
# What YAML does not print in a quoted string, and what an editor or terminal would hide.
_UNPRINTABLE = re.compile(
    "[\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)

# Key in the file -> (field, kind), in the order of the file.
_FIELDS: dict[str, tuple[str, type]] = {
    "url": ("url", str),
    "title": ("title", str),
    "scope": ("scope", str),
    "routeFile": ("route_file", str),
    "routeResolution": ("route_resolution", str),
    "description": ("description", str),
    "language": ("language", str),
    "generatedAt": ("generated_at", str),
    "incomingLinks": ("incoming_links", int),
    "outgoingLinks": ("outgoing_links", int),
    "depth": ("depth", int),
    "linkTexts": ("link_texts", tuple),
    "tags": ("tags", tuple),
    "weight": ("weight", float),
    "published": ("published", str),
    "modified": ("modified", str),
}
_ALWAYS = frozenset({"url", "title", "scope", "routeResolution", "incomingLinks", "outgoingLinks", "depth"})


def render_page(page: Page) -> str:
    """The mirror file of a page: the same text for the same page, always valid YAML above the Markdown.

    Every value is JSON, which YAML reads alike; empty optional fields, and a weight of 1, are left out.
    """
    lines = ["---"]
    for key, (name, _) in _FIELDS.items():
        value = getattr(page, name)
        if key in _ALWAYS or not (value == 1.0 if key == "weight" else not value):
            lines.append(f"{key}: {_json(value)}")
    return "\n".join([*lines, "---", "", page.body, ""])


def parse_page(text: str) -> Page:
    """The page of a mirror file; the exact inverse of `render_page`.

    Raises:
        IndexCorrupt: The text is not what `render_page` writes: cut short, edited, or of another version.
    """
    head, mark, rest = text.partition("\n---\n\n")
    if not mark or not head.startswith("---\n") or not rest.endswith("\n"):
        raise IndexCorrupt("not a whole mirror page: no front matter, or cut short")
    values: dict[str, Any] = {}
    for line in head[4:].split("\n"):
        match = _LINE.fullmatch(line)
        field = _FIELDS.get(match[1]) if match else None
        if match is None or field is None:
            raise IndexCorrupt(f"mirror front matter has a line that was not written by the mirror: {line[:80]!r}")
        values[field[0]] = _value(match[1], match[2], field[1])
    try:
        page = Page(**values, body=rest[:-1])
    except TypeError as error:
        raise IndexCorrupt(f"mirror front matter is incomplete: {error}") from error
    if render_page(page) != text:
        raise IndexCorrupt("mirror front matter is not in the form that the mirror writes")
    return page


def page_digest(page: Page) -> str:
    """SHA-256 (hex) over everything of a page except `generated_at`."""
    text = render_page(replace(page, generated_at=""))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def text_digest(text: str) -> str:
    """`page_digest` of the page that a mirror file's text is of; of any other text, one that is no page's."""
    head, mark, rest = text.partition("\n---\n\n")
    kept = "\n".join(line for line in head.split("\n") if not line.startswith("generatedAt: "))
    return hashlib.sha256(f"{kept}{mark}{rest}".encode("utf-8", "surrogatepass")).hexdigest()


def _json(value: object) -> str:
    text = _encode(list(value) if isinstance(value, tuple) else value)
    return text if text.isprintable() else _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _value(key: str, text: str, kind: type) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise IndexCorrupt(f"mirror front matter: {key} is not JSON: {text[:80]!r}") from error
    if kind is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if kind is float and type(value) is float and math.isfinite(value):
        return value
    if type(value) is not kind or (key == "routeResolution" and value not in get_args(RouteResolution)):
        raise IndexCorrupt(f"mirror front matter: {key} cannot be {text[:80]!r}")
    return value
