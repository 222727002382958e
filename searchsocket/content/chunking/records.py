"""Identity of chunks and records between runs (spec 10.1, 10.2), and of pages that moved to another URL."""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from searchsocket.content.chunking.canonical import as_json, canonical
from searchsocket.content.markdown.lines import plain_text_of, visible_blocks
from searchsocket.types import Chunk, Code, Lines, PageFacts, Prose, Record, Scope, Section

_MIN_SHARE = 0.5  # minimum share of equal chunks, of the page with more chunks


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
