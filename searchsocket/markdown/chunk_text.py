"""Chunks as the plain text that a person reads, and where sections begin inside it."""

from dataclasses import dataclass
from typing import assert_never

from searchsocket.markdown.blocks import parse_blocks
from searchsocket.markdown.text import block_text, inline_text
from searchsocket.types import Chunk, Code, PageFacts, Prose


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


def fold(text: str) -> str:
    """`text` with each run of white space as one character: a line break where the run holds one, else a space."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def chunk_text(page: PageFacts, chunk: Chunk) -> ChunkText:
    """What a chunk says; a summary is its description where it has one, and opens nowhere but at the page."""
    match chunk.body:
        case Prose(text=markdown):
            if chunk.kind == "summary" and page.description:
                return ChunkText(fold(page.description))
            return _read(markdown, (chunk.at.title, page.title), sections=chunk.kind == "section")
        case Code(text=text):
            return ChunkText(fold(text))
        case _:
            assert_never(chunk.body)


def _read(markdown: str, titles: tuple[str, ...], *, sections: bool) -> ChunkText:
    """Args: titles: are not said again where the text begins with them; sections: whether headings open inside it."""
    lines: list[str] = []
    openings: list[Opening] = []
    size = 0
    for block in parse_blocks(markdown):
        text = block_text(block)
        line = text if block.kind in ("heading", "paragraph") else fold(text)  # those are on one line already
        if block.kind == "heading" and block.anchor and lines and sections:
            openings.append(Opening(size, block.anchor, inline_text(block.title)))
        if line:
            lines.append(line)
            size += len(line) + 1
    text = whole = "\n".join(lines)
    for title in titles:
        head, _, rest = text.partition("\n")
        if title and rest and head == fold(title):
            text = rest
    cut = len(whole) - len(text)
    return ChunkText(text, tuple(Opening(max(o.start - cut, 0), o.anchor, o.title) for o in openings))
