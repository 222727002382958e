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

    It is plain text, so a changed link target, anchor or table rule embeds nothing, and no token is paid for
    markup. Front matter is never in it. A heading that opens the chunk is not said twice.
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

    The title is normalised: Unicode NFC, runs of blanks as one space, case folded; "" where there is no heading.
    Code is known by its symbol, and by its text where it has none, so that an insert above it changes no key.

    Args:
        number: Of code, among the chunks of its file that share its symbol, or have its text.
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
    """The name that identifies a chunk within its file of code, wherever it moves."""
    return chunk.at.title or f"#{hash_of(chunk.body.text)}"


def chunk_ref(url: str, chunk: Chunk, number: int) -> str:
    """A name for people and logs that survives edits elsewhere on the page.

    `url#anchor~piece`, where the anchor stays empty above the first heading that has one: `/docs#~0`; a summary's is
    its URL; that of code `url#symbol~number`.
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
    """A chunk as a record, with the two texts that its hashes are of."""

    record: Record
    embedded: str  # `record.content_hash` is of this
    canonical: str  # JSON of every other field; `record.record_hash` is of this


def cut_chunks(
    page: PageFacts,
    chunks: Sequence[Chunk],
    scope: Scope,
    model_id: str,
    facts_of: Callable[[Chunk], PageFacts] | None = None,
    texts: Sequence[str] | None = None,
) -> list[CutChunk]:
    """The records of one page with what they were made of, in the order of `chunks`.

    Args:
        facts_of: What a chunk says besides what its page does; default: nothing.
        texts: The embedded text per chunk, such as one without secrets; default: `embedded_text`.
    """
    facts, shared = page, as_json(page)  # once a page, not once a chunk
    cut: list[CutChunk] = []
    equals: Counter[str] = Counter()  # code of one name so far
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
    """A record of another scope that says the same, as the state keeps it."""

    id: str
    record_hash: str
    canonical: str


def moved(text: str, url: str, ordinal: int, scope_name: str) -> Moved:
    """A record of prose, by its canonical text, in another scope of its project.

    Args:
        url: Of its page.
        ordinal: Of its chunk.

    Raises:
        ValueError, TypeError, LookupError: The text is none of prose, or of another version.
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
