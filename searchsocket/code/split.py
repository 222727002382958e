"""Split lines that are too long for one chunk, preferably at the structure of the code."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

MAX_TOKENS = 512
OVERLAP_TOKENS = 50
MIN_CHARS = 50  # a shorter text is not a chunk
MAX_LINE_CHARS = 2_000  # a longer line is split: it is not written by hand
_SEPARATOR = re.compile(r"\s*(?:#|//|/\*|--|<!--|;+)\s*(?:[-=*#~_/]{4,}|region\b|MARK:)")
_CLOSING = re.compile(r"\s*(?:[\])}]|end\b|fi\b|done\b|else\b|elif\b|except\b|finally\b|catch\b|</)")
_TAB = 4  # columns
# Roughly the pieces of code in subword vocabularies: parts of identifiers, short runs of digits, single signs.
_TOKEN = re.compile(r"[A-Z]?[a-z]{1,8}|[A-Z]{1,4}|[0-9]{1,3}|[^\W_A-Za-z0-9]|[^\w\s]")
_MAX_CACHED_CHARS = 100  # lines repeat, in nested definitions and across files


class LineRange(NamedTuple):
    """A range of lines, by index, inclusive."""

    first: int
    last: int
    new: int  # the first line that is not in an earlier part


def split_lines(lines: Sequence[str]) -> list[LineRange]:
    """Split lines into parts of at most `MAX_TOKENS`; a part may exceed it by a remainder below `MIN_CHARS`.

    Each part but the first repeats about `OVERLAP_TOKENS` of the one before it. A part ends at the least indented line
    in its second half; of equal lines, before a separator comment, after a blank line, and as late as possible. A
    line that is longer than a part is a part by itself.
    """
    sizes = list(tokens_of_lines(lines))
    before = [0, *accumulate(sizes)]  # tokens above each line
    parts: list[LineRange] = []
    start = 0  # of the lines that are not in a part yet
    while start < len(lines):
        first = _with_overlap(before, start) if parts else start
        limit = before[first] + MAX_TOKENS
        end = start + 1  # exclusive
        while end < len(lines) and before[end + 1] <= limit:
            end += 1
        if end < len(lines):
            end = _best_end(lines, before, start, end)
        parts.append(LineRange(first, end - 1, start))
        start = end
    return _without_crumbs(lines, parts)


def _without_crumbs(lines: Sequence[str], parts: Sequence[LineRange]) -> list[LineRange]:
    """Join parts that are too short, such as the remainder next to a very long line."""
    joined: list[LineRange] = []
    for part in parts:
        if joined and (_is_crumb(lines, part) or _is_crumb(lines, joined[-1])):
            joined[-1] = joined[-1]._replace(last=part.last)
        else:
            joined.append(part)
    return joined


def _is_crumb(lines: Sequence[str], part: LineRange) -> bool:
    return written_chars(lines[part.first : part.last + 1]) < MIN_CHARS


def written_chars(lines: Sequence[str]) -> int:
    """The number of characters in lines, without indentation."""
    return sum(len(line.strip()) for line in lines)


def _with_overlap(before: Sequence[int], start: int) -> int:
    """The first line of a part, including the overlap with the part before."""
    first = start
    while first > 0 and before[start] - before[first - 1] <= OVERLAP_TOKENS:
        first -= 1
    return first


def _best_end(lines: Sequence[str], before: Sequence[int], start: int, end: int) -> int:
    """The best end of a part (exclusive), in its second half."""
    half = (before[start] + before[end]) / 2
    candidates = [at for at in range(start + 1, end + 1) if before[at] >= half]
    return min(candidates, key=lambda at: (_cost(lines, at), -at), default=end)


def _cost(lines: Sequence[str], at: int) -> tuple[bool, int, int]:
    """The cost of a split before a line: whether it closes a block, its depth, and how well it is separated."""
    line = lines[at]
    if not line.strip():
        return True, 0, 0  # a blank line belongs to the lines above it
    apart = 0 if _SEPARATOR.match(line) else 1 if not lines[at - 1].strip() else 2
    return closes(line), indentation(line), apart


def closes(line: str) -> bool:
    """Return True if a line continues or ends the construct above it."""
    return _CLOSING.match(line) is not None


def indentation(line: str) -> int:
    """Columns before the first character."""
    text = line.expandtabs(_TAB) if "\t" in line else line
    return len(text) - len(text.lstrip())


def count_tokens(text: str) -> int:
    """An estimate that depends only on the text."""
    return len(_TOKEN.findall(text))


def tokens_of_lines(lines: Iterable[str]) -> Iterable[int]:
    """`count_tokens` of each line; no token spans two lines."""
    return (_of_line(line) if len(line) <= _MAX_CACHED_CHARS else count_tokens(line) for line in lines)


_of_line = lru_cache(maxsize=1 << 14)(count_tokens)
