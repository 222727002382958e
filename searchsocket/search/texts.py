"""Chunks as the plain text that a person reads, and where its sections begin."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from searchsocket.markdown.blocks import parse_blocks
from searchsocket.markdown.text import block_text, inline_text
from searchsocket.search.marks import Mark
from searchsocket.search.snippet import fold
from searchsocket.types import Record

_REMEMBERED_TEXTS = 10_000  # about 20 MB


@dataclass(frozen=True, slots=True)
class Opening:
    """A heading with an anchor inside a chunk: small sections are merged."""

    start: int  # of the heading in the chunk's text, in code points
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class ChunkText:
    text: str  # folded, without a heading that repeats the chunk's title
    openings: tuple[Opening, ...] = ()  # ascending, without the heading that the chunk begins with


class PlainTexts:
    """Plain text of chunks, kept because parsing Markdown costs more than all else of a query."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, ChunkText] = OrderedDict()
        self._lock = Lock()

    def of(self, record: Record) -> ChunkText:
        """What a person reads of the chunk."""
        key = record.record_hash
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
                return self._texts[key]
        text = chunk_text(record)
        with self._lock:
            self._texts[key] = text
            while len(self._texts) > _REMEMBERED_TEXTS:
                self._texts.popitem(last=False)
        return text


def chunk_text(record: Record) -> ChunkText:
    """Parse a chunk; a summary is its description where it has one, and opens nowhere but at the page."""
    if record.kind == "summary" and record.description:
        return ChunkText(fold(record.description))
    lines: list[str] = []
    openings: list[Opening] = []
    size = 0
    for block in parse_blocks(record.text):
        text = block_text(block)
        line = text if block.kind in ("heading", "paragraph") else fold(text)  # those are on one line already
        if block.kind == "heading" and block.anchor and lines and record.kind == "section":
            openings.append(Opening(size, block.anchor, inline_text(block.title)))
        if line:
            lines.append(line)
            size += len(line) + 1
    text = whole = "\n".join(lines)
    for title in (record.section_title, record.title):
        head, _, rest = text.partition("\n")
        if title and rest and head == fold(title):
            text = rest
    cut = len(whole) - len(text)
    return ChunkText(text, tuple(Opening(max(o.start - cut, 0), o.anchor, o.title) for o in openings))


def opening_of(
    openings: Sequence[Opening], marks: Iterable[Mark], span: tuple[int, int], own_words: Iterable[str] = ()
) -> Opening | None:
    """The heading above what answers in a passage: above its most different query words, then most, then first.

    Args:
        openings: Of the chunk.
        marks: Of the chunk's text; those outside `span` do not count.
        span: Start and end of the passage.
        own_words: Query words in the title of the chunk's first section, which its text does not repeat.

    Returns:
        None for the chunk's first section. Without marks, the section in which the passage begins.
    """
    starts = [opening.start for opening in openings]
    first = bisect_right(starts, span[0])
    said: dict[int, list[str]] = {first: []}
    if first == 0:
        said[0] += own_words
    for mark in marks:
        if span[0] <= mark.start and mark.end <= span[1]:
            said.setdefault(bisect_right(starts, mark.start), []).append(mark.word)
    best = max(said, key=lambda section: (len(set(said[section])), len(said[section]), -section))
    return openings[best - 1] if best else None
