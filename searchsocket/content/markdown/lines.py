"""Lines of Markdown: the visible lines of each block with their kinds, and the lines of a page's source file.

Snippets start at visible lines, and keep code intact.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from searchsocket.content.markdown.blocks import (
    Block,
    Fence,
    is_delimiter_row,
    is_rule,
    opening_fence,
    parse_blocks,
    split_lines,
)
from searchsocket.content.markdown.text import inline_text

# heading, prose, label or signature without a sentence, list item, only links, table row, code
LineKind = Literal["h", "p", "f", "l", "n", "t", "c"]

_MARKERS = re.compile(r"(?:\s*(?:>|(?:[-+*]|\d{1,9}[.)])(?=\s|$)(?: {1,4}\[[ xX]\](?=\s))?))*\s*")
_SENTENCE_END = re.compile(r"[.!?;…。！？](?:(?<=[。！？])|['\"”’»)\]*_`]*(?:\s|$))")
_INTRODUCTION = re.compile(r"\s\S+\s+\S+\s+\S+:[*_`]*$")  # some words that introduce the next block
_LINK = re.compile(r"\[[^\[\]\n]{1,300}\]\([^()\s]{0,1000}(?:\([^()\s]{0,300}\))?[^()\s]{0,300}\)")
_FEW_LETTERS = 10  # beside links, e.g. "See also"
_MORE_LETTERS = re.compile(rf"(?:[\W_]*[^\W_]){{{_FEW_LETTERS + 1}}}")
_LABEL_CHARS = 20  # of an item that only labels the code below it, e.g. "Type"
_NO_LETTERS = re.compile(r"[\W_]+")


class Line(NamedTuple):
    """A block, row, item or line of code, without its markup."""

    kind: LineKind
    text: str


class VisibleBlock(NamedTuple):
    """A block with its visible lines."""

    kind: str  # see `Block`, like the next two
    title: str
    anchor: str
    lines: tuple[Line, ...]


@lru_cache(maxsize=512)
def visible_blocks(markdown: str) -> tuple[VisibleBlock, ...]:
    """The blocks of a short text, cached: the same text is embedded, then stored or quoted."""
    return tuple(
        [
            VisibleBlock(block.kind, block.title, block.anchor, tuple(block_lines(block)))
            for block in parse_blocks(markdown)
        ]
    )


def plain_text(markdown: str) -> str:
    """The visible text of Markdown.

    Links keep their text, images their alt text. Code stays as written, without its fence. Table pipes become spaces,
    escapes and entities are decoded, and heading anchors are removed. `well-known` and `snake_case` stay whole.

    Returns:
        One line per block, row or item; code keeps its lines.
    """
    return plain_text_of(map(block_lines, parse_blocks(markdown)))


def plain_text_of(blocks: Iterable[Iterable[Line]]) -> str:
    """Join the lines of each block of a text, as `plain_text` does."""
    return "\n".join(part for lines in blocks if (part := "\n".join(line.text for line in lines)))


def block_text(block: Block) -> str:
    """The visible text of one block, as `plain_text`."""
    return "\n".join(line.text for line in block_lines(block))


def block_lines(block: Block) -> Iterable[Line]:
    """The visible lines of one block; empty if nothing of it is visible."""
    match block.kind:
        case "heading":
            return _any("h", inline_text(block.title))
        case "code":
            return [Line("c", line) for line in _code_lines(block.text)]
        case "table" | "blockquote" | "list":
            return _container_lines(block.text)
        case _:
            return () if is_rule(block.text) else _any(_prose_kind(block.text), inline_text(block.text))


def _any(kind: LineKind, text: str) -> tuple[Line, ...]:
    return (Line(kind, text),) if text else ()


def _prose_kind(markdown: str) -> LineKind:
    """Classify a paragraph: "p" has sentences, "n" only links, "f" is a label."""
    if "](" in markdown and not _MORE_LETTERS.match(_LINK.sub("", markdown)):
        return "n"
    return "p" if _SENTENCE_END.search(markdown) or _introduces(markdown) else "f"


def _introduces(markdown: str) -> bool:
    # The cheap test first: the pattern checks every word, and few texts end with a colon.
    return markdown.rstrip("*_`\n").endswith(":") and _INTRODUCTION.search(markdown) is not None


def _code_lines(code: str) -> list[str]:
    lines = code.split("\n")
    if opening_fence(lines[0]) is not None:
        lines = lines[1:-1]
    text = "\n".join(lines).strip("\n")
    return text.split("\n") if text else []


def _container_lines(text: str) -> Iterator[Line]:
    """Read lists, quotes and tables line by line, since their markers are at the start of lines."""
    prose: list[str] = []
    fence: Fence | None = None
    is_item = False  # whether `prose` began with the marker of an item

    def flush(above: LineKind = "l") -> Iterator[Line]:
        nonlocal is_item
        markdown = "\n".join(prose)
        if prose and (line := inline_text(markdown)):
            kind = _prose_kind(markdown)
            is_label = above == "c" and kind == "f" and len(line) <= _LABEL_CHARS
            yield Line("l" if is_item and kind != "n" and not is_label else kind, line)
        prose.clear()
        is_item = False

    for line in split_lines(text):
        if fence is not None:
            bare = _strip_quote_marks(line)
            if fence.closed_by(bare):
                fence = None
            else:
                yield Line("c", bare[fence.indent :] if not bare[: fence.indent].strip() else bare)
            continue
        if line[:1] == "|":
            yield from flush()
            yield from _row(line)
            continue
        markers = _MARKERS.match(line)
        end = markers.end() if markers else 0
        content = line[end:]
        if (fence := opening_fence(content)) is not None:
            fence = Fence(end, fence.mark)
            yield from flush(above="c")
        elif content.startswith("|") or ("|" in content and is_delimiter_row(content)):
            yield from flush()
            yield from _row(content)
        else:
            marker = line[:end].strip("> ")
            if marker or not content:
                yield from flush()
                is_item = bool(marker)
            prose.append(content.lstrip("#").lstrip() if content.startswith("#") else content)
    yield from flush()


def _row(line: str) -> tuple[Line, ...]:
    return () if is_delimiter_row(line) else _any("t", inline_text(_cells(line)))


def _strip_quote_marks(line: str) -> str:
    bare = line.lstrip(" ")
    while bare.startswith(">"):
        bare = bare[1:].removeprefix(" ")
        line = bare
    return line


def _cells(row: str) -> str:
    """Replace the pipes of a table row by spaces; an escaped pipe is text, even in code, which has no other escapes."""
    return row.replace("\\|", "\x00").replace("|", " ").replace("\x00", "|")


def source_lines(body: str, source: str, above: int = 0) -> tuple[int, ...]:
    """The lines in a source file of each outermost block of a page.

    Both texts are Markdown in the same order. Blocks with equal texts are matched, and blocks between two matches here
    correspond to the lines between them there. A block without a counterpart gets all lines of its gap.

    Args:
        body: The Markdown of the page.
        source: The file that the page was made from, without its front matter.
        above: Number of lines of the file above `source`.

    Returns:
        First and last line of each block in one flat tuple, from 1; 0, 0 for a block that is not in the file.
    """
    page_blocks, file_blocks = parse_blocks(body), parse_blocks(source)
    lines: list[int] = []
    pairs = _matching_positions(*_comparable_texts(page_blocks, file_blocks))
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *pairs, (len(page_blocks), len(file_blocks))]):
        between = file_blocks[j + 1 : next_j]
        first, last = (above + between[0].lines[0], above + between[-1].lines[1]) if between else (0, 0)
        lines += (first, last) * (next_i - i - 1)
        if next_i < len(page_blocks):
            lines += (above + line for line in file_blocks[next_j].lines)
    return tuple(lines)


def _comparable_texts(page_blocks: Sequence[Block], file_blocks: Sequence[Block]) -> tuple[list[str], list[str]]:
    """The comparable text of each block: unwrapped, and without markup if it differs.

    Most texts are equal as written, and removing markup costs as much as parsing.
    """
    raw_texts = [[_unwrap(block.title or block.text) for block in blocks] for blocks in (page_blocks, file_blocks)]
    same = set(raw_texts[0]).intersection(raw_texts[1])
    texts = [
        [
            text if text in same else _NO_LETTERS.sub("", block_text(block))
            for text, block in zip(side, blocks, strict=True)
        ]
        for side, blocks in zip(raw_texts, (page_blocks, file_blocks), strict=True)
    ]
    return texts[0], texts[1]


def _unwrap(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text


def _matching_positions(page_texts: Sequence[str], file_texts: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of equal texts, rising in both: texts that are unique on each side, then their equal neighbours."""
    begin = 0  # most pages begin like their file, and many are equal throughout
    while begin < min(len(page_texts), len(file_texts)) and page_texts[begin] == file_texts[begin]:
        begin += 1
    counts = Counter(page_texts[begin:]), Counter(file_texts[begin:])
    positions = {text: j for j, text in enumerate(file_texts) if j >= begin and text and counts[1][text] == 1}
    anchors = _longest_rising(
        [
            (i, positions[text])
            for i, text in enumerate(page_texts)
            if i >= begin and counts[0][text] == 1 and text in positions
        ]
    )
    pairs = [(i, i) for i in range(begin)]
    for i, j in (*anchors, (len(page_texts), len(file_texts))):
        floor_i, floor_j = pairs[-1] if pairs else (-1, -1)
        while floor_i + 1 < i and floor_j + 1 < j and page_texts[floor_i + 1] == file_texts[floor_j + 1]:
            floor_i, floor_j = floor_i + 1, floor_j + 1
            pairs.append((floor_i, floor_j))
        up = 0
        while i - up - 1 > floor_i and j - up - 1 > floor_j and page_texts[i - up - 1] == file_texts[j - up - 1]:
            up += 1
        pairs += ((i - k, j - k) for k in range(up, -1, -1) if i - k < len(page_texts))
    return pairs


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs in which both numbers rise."""
    ends: list[int] = []  # smallest last number of a run of each length
    at: list[int] = []  # which pair that is
    before: list[int] = []
    for position, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(at[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        at[length : length + 1] = [position]
    run: list[tuple[int, int]] = []
    position = at[-1] if at else -1
    while position >= 0:
        run.append(pairs[position])
        position = before[position]
    return run[::-1]
