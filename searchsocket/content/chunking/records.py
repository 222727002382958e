"""Identity of chunks and records between runs (spec 10.1, 10.2), and of pages that moved to another URL.

A record is hashed, and stored between runs, as canonical JSON. The field types define the format. It has every field
but those that differ between scopes, `id` and `scope`, and the hash of this text.
"""

import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache, lru_cache
from typing import Any, TypeVar, assert_never, get_args, get_origin, get_type_hints

from searchsocket.content.markdown.lines import plain_text_of, visible_blocks
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Chunk, Code, Lines, PageFacts, Prose, Record, Scope, Section

_MIN_SHARE = 0.5  # minimum share of equal chunks, of the page with more chunks
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


def embedded_text(title: str, chunk: Chunk) -> str:
    """The text that is embedded: page title, heading path, then the visible text of the chunk (spec 10.1).

    The text is plain: a changed link target, anchor or table rule needs no new embedding, and markup costs no
    tokens. Front matter is never part of it. A heading that opens the chunk is not repeated.
    """
    path, section_title = chunk.at.heading_path, chunk.at.title
    if section_title and section_title not in path:
        path = (*path, section_title)
    if path and path[0] == title:
        path = path[1:]
    lines = _visible(chunk.body).split("\n")
    headings = {title, *path}
    start = 0
    while start < len(lines) and lines[start] in headings:
        start += 1
    head = [part for part in (title, " > ".join(path)) if part]
    return "\n".join([*head, *lines[start:]])


def _visible(body: Prose | Code) -> str:
    """The visible text of a chunk."""
    match body:
        case Prose(text=text):
            return plain_text_of(block.lines for block in visible_blocks(text))
        case Code(text=text):
            return text
        case _:
            assert_never(body)


def content_hash(text: str) -> str:
    """Identity of an embedding, beside the model: sha256 of the embedded text, in hex (spec 10.1)."""
    return hash_of(text)


def chunk_key(scope_name: str, url: str, chunk: Chunk, number: int) -> str:
    """Identity of a record: a sha1 in hex, of prose over `scope|url|ordinal|section title` (spec 10.2).

    The title is normalised: Unicode NFC, runs of blanks as one space, case folded; "" without a heading.
    Code is identified by its symbol, or by its text if it has none, so that an insertion above changes no key.

    Args:
        number: For code: position among the chunks of its file with the same symbol, or else the same text.
    """
    return record_id(scope_name, url, key_on_page(chunk, number))


def record_id(scope_name: str, url: str, key: str) -> str:
    """`chunk_key` from the key of the chunk on its page."""
    return _sha1(f"{scope_name}|{url}|{key}")


def key_on_page(chunk: Chunk, number: int) -> str:
    """The part of `chunk_key` after scope and URL, which every scope shares."""
    match chunk.at:
        case Section(title=title):
            if not (title.isascii() and title.islower()):
                title = unicodedata.normalize("NFC", title).casefold()
            return f"{chunk.ordinal}|{' '.join(title.split())}"
        case Lines():
            return f"code|{_code_name(chunk)}|{number}"
        case _:
            assert_never(chunk.at)


def _sha1(key: str) -> str:
    return hashlib.sha1(_bytes(key), usedforsecurity=False).hexdigest()


def _code_name(chunk: Chunk) -> str:
    """The name that identifies a code chunk within its file, independent of its position."""
    return chunk.at.title or f"#{hash_of(chunk.body.text)}"


def chunk_ref(url: str, chunk: Chunk, number: int) -> str:
    """A name for people and logs that survives edits elsewhere on the page.

    `url#anchor~piece`, with an empty anchor above the first heading that has one: `/docs#~0`. A summary's reference
    is its URL; that of code is `url#symbol~number`.
    """
    match chunk.at:
        case Section(anchor=anchor, piece=piece):
            return url if chunk.kind == "summary" else f"{url}#{anchor}~{piece}"
        case Lines(symbol=symbol):
            return f"{url}#{symbol}~{number}"
        case _:
            assert_never(chunk.at)


@dataclass(frozen=True, slots=True)
class CutChunk:
    """A chunk as a record, with the two texts that its hashes are computed from."""

    record: Record
    embedded: str  # `record.content_hash` is the hash of this
    canonical: str  # `record.record_hash` is the hash of this
    key: str  # see `key_on_page`


def cut_chunks(
    page: PageFacts,
    chunks: Sequence[Chunk],
    scope: Scope,
    model_id: str,
    facts_of: Callable[[Chunk], PageFacts] | None = None,
    texts: Sequence[str] | None = None,
) -> list[CutChunk]:
    """Make the records of one page, in the order of `chunks`.

    Args:
        facts_of: Returns the page facts of one chunk if they differ by chunk; default: those of `page`.
        texts: The embedded text per chunk, e.g. with secrets removed; default: `embedded_text`.
    """
    facts, shared = page, as_json(page)  # serialised once per page, not per chunk
    cut: list[CutChunk] = []
    equals: Counter[str] = Counter()  # code chunks so far, by name
    for position, chunk in enumerate(chunks):
        if facts_of is not None and (own := facts_of(chunk)) != facts:
            facts, shared = own, as_json(own)
        embedded = embedded_text(facts.title, chunk) if texts is None else texts[position]
        number = 0
        if isinstance(chunk.at, Lines):
            number = equals[name := _code_name(chunk)]
            equals[name] += 1
        head = {
            "content_hash": content_hash(embedded),
            "ref": chunk_ref(facts.url, chunk, number),
            "project_id": scope.project_id,
            "model_id": model_id,
        }
        text, key = canonical(head, shared, chunk), key_on_page(chunk, number)
        names = {"id": record_id(scope.name, facts.url, key), "scope": scope.name}
        record = Record(**names, **head, record_hash=hash_of(text), page=facts, chunk=chunk)
        cut.append(CutChunk(record, embedded, text, key))
    return cut


def key_of(head: Mapping[str, str], chunk: Chunk) -> str:
    """`key_on_page` of a stored record; `chunk_ref` ends with the number of a code chunk."""
    return key_on_page(chunk, int(head["ref"].rpartition("~")[2]) if isinstance(chunk.at, Lines) else 0)


def hash_of(text: str) -> str:
    """sha256 of a text, in hex."""
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    # A lone surrogate in hostile input must not stop the run.
    return text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class PageContent:
    """The chunks of one page as hashes of their text; the hashes depend on neither scope nor URL."""

    url: str
    address: str  # the path that opens it
    title: str
    texts: tuple[str, ...]  # content hash of each chunk, in page order


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page whose content is now at another URL."""

    before: str  # the old address
    after: str  # the new address
    url: str
    old_url: str
    title: str
    same: float  # share of unchanged chunks


def moved_pages(removed: Sequence[PageContent], added: Sequence[PageContent]) -> list[MovedPage]:
    """Match each removed page with the added page that shares most of its content, if they share at least half.

    Each page is matched at most once. Pairs with the largest share are matched first, then pairs with the same last
    URL segment, then by URL.
    """
    places: dict[str, list[PageContent]] = {}
    for page in added:
        for text in set(page.texts):
            places.setdefault(text, []).append(page)
    pairs = [
        (-share, old.url.rpartition("/")[2] != new.url.rpartition("/")[2], old.url, new.url, old, new)
        for old in removed
        for new in {page.url: page for text in set(old.texts) for page in places.get(text, ())}.values()
        if (share := _share(old, new)) >= _MIN_SHARE
    ]
    sources: set[str] = set()
    targets: set[str] = set()
    moves: list[MovedPage] = []
    for share, _, old_url, url, old, new in sorted(pairs, key=lambda pair: pair[:4]):
        if old_url in sources or url in targets:
            continue
        sources.add(old_url)
        targets.add(url)
        moves.append(MovedPage(old.address, new.address, url, old_url, new.title, round(-share, 3)))
    return sorted(moves, key=lambda move: move.old_url)


def _share(old: PageContent, new: PageContent) -> float:
    common = (Counter(old.texts) & Counter(new.texts)).total()
    return common / max(len(old.texts), len(new.texts), 1)
