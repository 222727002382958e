"""Identity of chunks and records between runs (spec 10.1, 10.2)."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from searchsocket.content.chunking.canonical import as_json, canonical, head_and_at, with_head
from searchsocket.content.markdown.lines import plain_text_of, visible_blocks
from searchsocket.types import Chunk, Code, Lines, PageFacts, Prose, Record, Scope, Section


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
    match chunk.at:
        case Section(title=title):
            return _prose_key(scope_name, url, chunk.ordinal, title)
        case Lines():
            return _sha1(f"{scope_name}|{url}|code|{_code_name(chunk)}|{number}")
        case _:
            assert_never(chunk.at)


def _prose_key(scope_name: str, url: str, ordinal: int, title: str) -> str:
    if not (title.isascii() and title.islower()):
        title = unicodedata.normalize("NFC", title).casefold()
    return _sha1(f"{scope_name}|{url}|{ordinal}|{' '.join(title.split())}")


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
    canonical: str  # JSON of every other field; `record.record_hash` is the hash of this


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
            "id": chunk_key(scope.name, facts.url, chunk, number),
            "content_hash": content_hash(embedded),
            "ref": chunk_ref(facts.url, chunk, number),
            "project_id": scope.project_id,
            "scope": scope.name,
            "model_id": model_id,
        }
        text = canonical(head, shared, chunk)
        cut.append(CutChunk(Record(**head, record_hash=hash_of(text), page=facts, chunk=chunk), embedded, text))
    return cut


class Moved(NamedTuple):
    """A record that another scope has too, in the form in which the state stores it."""

    id: str
    record_hash: str
    canonical: str


def moved(text: str, url: str, ordinal: int, scope_name: str) -> Moved:
    """Convert the canonical text of a prose record to the same record in another scope of its project.

    Args:
        url: Of its page.
        ordinal: Of its chunk.

    Raises:
        ValueError, TypeError, LookupError: The text is not a prose record of this version.
    """
    head, at = head_and_at(text)
    names = {"id": _prose_key(scope_name, url, ordinal, at["title"]), "scope": scope_name}
    canonical = with_head(text, {**head, **names})
    return Moved(names["id"], hash_of(canonical), canonical)


def hash_of(text: str) -> str:
    """sha256 of a text, in hex."""
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    # A lone surrogate in hostile input must not stop the run.
    return text.encode("utf-8", "surrogatepass")
