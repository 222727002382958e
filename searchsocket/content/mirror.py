"""The Markdown mirror: a page as text with front matter (spec 8.4), and the name of its file.

Each URL has one file, on every file system.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Literal, NamedTuple, get_args, get_origin, get_type_hints

from searchsocket.content.pages import Page
from searchsocket.errors import IndexCorrupt, UnsafePath
from searchsocket.system.json_text import JsonObject
from searchsocket.types import PageFacts, RouteResolution

_encode = json.JSONEncoder(ensure_ascii=False).encode
_SCOPE_LINE = re.compile(r"\nscope: .*")  # a value contains no line break
_FIELD_LINE = re.compile(r"([A-Za-z][A-Za-z0-9]*): (.+)")
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
_PLAIN_SEGMENT = re.compile(r"(?![.-])[\w.%@+,=()!&'-]+(?<!\.)")
_RESERVED_NAME = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)
_UNREADABLE = re.compile(r"[^A-Za-z0-9._-]+")
_SEGMENT_BYTES = 100
_PATH_BYTES = 200  # of the whole relative path: the lowest common limit is 260 including the parent folder
_READABLE_CHARS = 40


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
        match = _FIELD_LINE.fullmatch(line)
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
    return _SCOPE_LINE.sub(lambda _: f"\nscope: {_json(scope)}", head, count=1)


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


def mirror_name(url: str) -> str:
    """The mirror file of a canonical URL path, relative to the scope's folder (spec 8.4).

    `/guide/first-steps` is `guide/first-steps.md` and `/` is `index.md`. A segment that some file system would
    change, refuse or confuse with another one (capitals, `CON`, `a.`, `..`, long ones) gets `~` and a hash of itself,
    and a path that is too long as a whole gets a hash of the URL. No two URLs share a file; no file is also a folder.

    Raises:
        UnsafePath: The URL does not begin with a slash.
    """
    if not url.startswith("/"):
        raise UnsafePath(f"{url!r} is not a URL path")
    if url == "/":
        return "index.md"
    *folders, last = url[1:].split("/")
    names = [_segment_name(folder, is_reserved=folder.endswith(".md")) for folder in folders]
    # The home page uses index.md.
    names.append(_segment_name(last, is_reserved=last == "index" and not folders) + ".md")
    if sum(len(name.encode()) + 1 for name in names) <= _PATH_BYTES:
        return "/".join(names)
    parts, used = [], 0
    for name in names[:-1]:
        used += len(name.encode()) + 1
        if used > _PATH_BYTES // 2:
            break
        parts.append(name)
    return "/".join([*parts, _hash_name(last, url) + ".md"])


def mirror_file(root: Path, url: str) -> Path:
    """The mirror file of `url` inside the folder `root`.

    Raises:
        UnsafePath: A symbolic link in the mirror leads elsewhere.
    """
    # A cold run calls this several times per page, so only names inside the mirror are checked.
    file = root
    for name in mirror_name(url).split("/"):
        file = file / name
        if file.is_symlink():
            raise UnsafePath(f"{file} leaves the mirror through a symbolic link; remove the link")
    return file


def _segment_name(segment: str, *, is_reserved: bool) -> str:
    return segment if _is_plain(segment) and not is_reserved else _hash_name(segment, segment)


def _is_plain(segment: str) -> bool:
    """Return True if every file system stores the segment unchanged and distinct from all other plain ones."""
    return (
        _PLAIN_SEGMENT.fullmatch(segment) is not None
        and _RESERVED_NAME.match(segment) is None
        and len(segment.encode("utf-8", "surrogatepass")) <= _SEGMENT_BYTES
        and segment.isprintable()
        # Stable under the foldings of case-insensitive and normalising file systems.
        and unicodedata.normalize("NFKC", segment) == segment
        and segment.casefold() == segment
        and segment.upper().casefold() == segment
    )


def _hash_name(segment: str, identity: str) -> str:
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    readable = _UNREADABLE.sub("-", segment)[:_READABLE_CHARS].strip(".-")
    if _RESERVED_NAME.match(readable):
        readable = readable.replace(".", "-")
    return f"{readable}~{digest}"
