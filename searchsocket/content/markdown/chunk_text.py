"""The plain text of chunks that a person reads."""

import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from textwrap import dedent
from typing import assert_never

from searchsocket.content.markdown.lines import Line, visible_blocks
from searchsocket.content.markdown.text import inline_text
from searchsocket.types import Chunk, Code, PageFacts, Prose

START = "I"  # type of the numbers in `ChunkText.starts`: 4 bytes
_TAB = 4
# Abbreviations, and small letters after the sign, do not end a sentence. The sign comes first in the pattern and its
# look-behinds after it, because searching for a set of signs is by far the fastest start.
_NEXT_SENTENCE = re.compile(
    r"[.!?…。！？](?:(?<=[。！？])[”’」』）)]* ?(?=\S)"
    r"|(?<![。！？])(?<!e\.g\.)(?<!i\.e\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bNo\.)['\"”’»)\]]* (?![a-z]))"
)
_OF_SENTENCES = frozenset("pl")


@dataclass(frozen=True, slots=True)
class Opening:
    """A heading with an anchor inside a chunk; merged small sections have them."""

    start: int  # of the heading in the chunk's text, in code points
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class ChunkText:
    """Plain text of a chunk: folded; code keeps its indentation; a heading that repeats the chunk's title is left out.

    Units are where a snippet may begin: the sentences of paragraphs and items, and every other line.
    """

    text: str
    starts: "array[int]"  # of each unit, in code points: 0 first
    kinds: str  # `LineKind` of each unit
    openings: tuple[Opening, ...] = ()  # ascending, without the heading that the chunk begins with


def fold(text: str) -> str:
    """Replace each run of white space by one character: a line break if the run contains one, else a space."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


def chunk_text(page: PageFacts, chunk: Chunk) -> ChunkText:
    """The plain text of a chunk. The text of a summary is its description, or its list of headings."""
    match chunk.body:
        case Prose(text=markdown):
            if chunk.kind == "summary":
                if page.description:
                    return joined(Line("p", line) for line in fold(page.description).split("\n"))
                contents = _read(markdown, (page.title,), sections=False)
                return replace(contents, kinds="h" * len(contents.kinds))  # its list consists of headings
            return _read(markdown, (chunk.at.title, page.title), sections=True)
        case Code(text=text):
            return text_of_code(text)
        case _:
            assert_never(chunk.body)


def text_of_code(text: str) -> ChunkText:
    """The text of code, with one unit per line."""
    lines = list(filter(None, _dedent_code(text.split("\n"))))
    starts = accumulate((len(line) + 1 for line in lines[:-1]), initial=0) if lines else ()
    return ChunkText("\n".join(lines), array(START, starts), "c" * len(lines))


def joined(lines: Iterable[Line]) -> ChunkText:
    """Join lines to a text with its units."""
    readable = [line for line in lines if line.text]
    starts, kinds, size = list[int](), list[str](), 0
    for kind, text in readable:
        starts.append(size)
        if kind in _OF_SENTENCES:
            starts += [size + match.end() for match in _NEXT_SENTENCE.finditer(text)]
        kinds += kind * (len(starts) - len(kinds))
        size += len(text) + 1
    return ChunkText("\n".join(line.text for line in readable), array(START, starts), "".join(kinds))


def _read(markdown: str, titles: tuple[str, ...], *, sections: bool) -> ChunkText:
    """Convert the Markdown of a chunk.

    Args:
        titles: Left out if the text begins with them.
        sections: True records headings inside the text as openings.
    """
    lines: list[Line] = []
    openings: list[Opening] = []
    size = 0
    for block in visible_blocks(markdown):
        if block.kind == "heading" and block.anchor and lines and sections:
            openings.append(Opening(size, block.anchor, inline_text(block.title)))
        for line in _fold_lines(block.lines):
            lines.append(line)
            size += len(line.text) + 1
    first = cut = 0
    for title in titles:
        if title and first + 1 < len(lines) and lines[first].text == fold(title):
            cut += len(lines[first].text) + 1
            first += 1
    text = joined(lines[first:])
    return replace(text, openings=tuple(Opening(max(o.start - cut, 0), o.anchor, o.title) for o in openings))


def _fold_lines(lines: Iterable[Line]) -> Iterator[Line]:
    code: list[str] = []
    for kind, text in lines:
        if kind == "c":
            code.append(text)
            continue
        if code:
            yield from _code_lines(code)
            code.clear()
        text = text if kind in "hp" else " ".join(text.split())
        if text:
            yield Line(kind, text)
    if code:
        yield from _code_lines(code)


def _code_lines(code: list[str]) -> Iterator[Line]:
    for line in filter(None, _dedent_code(code)):
        yield Line("c", line)


def _dedent_code(code: list[str]) -> list[str]:
    """Lines of code without common indentation and trailing blanks, tabs as spaces."""
    return dedent("\n".join(map(_expand_spaces, code))).split("\n")


def _expand_spaces(line: str) -> str:
    if not line.isprintable() and not (line := line.expandtabs(_TAB)).isprintable():  # rarely more than tabs
        line = "".join(" " if char.isspace() else char for char in line)
    return line.rstrip()
