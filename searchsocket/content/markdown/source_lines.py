"""Map the blocks of a page to lines of its Markdown file.

Both texts are Markdown in the same order. Blocks with equal texts are matched, and blocks between two matches here
correspond to the lines between them there. A block without a counterpart gets all lines of its gap.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from searchsocket.content.markdown.blocks import Block, parse_blocks
from searchsocket.content.markdown.lines import block_text

_NO_LETTERS = re.compile(r"[\W_]+")


def source_lines(body: str, source: str, above: int = 0) -> tuple[int, ...]:
    """The lines in a source file of each outermost block of a page.

    Args:
        body: The Markdown of the page.
        source: The file that the page was made from, without its front matter.
        above: Number of lines of the file above `source`.

    Returns:
        First and last line of each block in one flat tuple, from 1; 0, 0 for a block that is not in the file.
    """
    page_blocks, file_blocks = parse_blocks(body), parse_blocks(source)
    lines: list[int] = []
    pairs = _pairs(*_texts(page_blocks, file_blocks))
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *pairs, (len(page_blocks), len(file_blocks))]):
        between = file_blocks[j + 1 : next_j]
        first, last = (above + between[0].lines[0], above + between[-1].lines[1]) if between else (0, 0)
        lines += (first, last) * (next_i - i - 1)
        if next_i < len(page_blocks):
            lines += (above + line for line in file_blocks[next_j].lines)
    return tuple(lines)


def _texts(page_blocks: Sequence[Block], file_blocks: Sequence[Block]) -> tuple[list[str], list[str]]:
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


def _pairs(page_texts: Sequence[str], file_texts: Sequence[str]) -> list[tuple[int, int]]:
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
