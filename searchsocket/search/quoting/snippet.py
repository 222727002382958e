"""Snippet of a chunk, as plain text and as HTML, with the query's words marked and code as code."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.search.quoting.marks import Mark
from searchsocket.search.quoting.window import Window
from searchsocket.text.hidden import hidden_positions

MAX_CHARS = 240
_ELLIPSIS = "…"
_CODE_RUN = re.compile("c+")
_Range = tuple[int, int]
_Ranges = Sequence[_Range]


class Snippet(NamedTuple):
    """Plain text of a passage: prose on one line, and a line per row, item, heading or line of code.

    Ranges are half-open, ascending and disjoint.
    """

    text: str
    marks: tuple[_Range, ...] = ()
    code: tuple[_Range, ...] = ()  # whole lines
    is_answer: bool = True  # False: only headings, labels, signatures and links

    @property
    def html(self) -> str:
        """Escaped text with `<mark>` around each mark, `<pre><code>` around code, `<br>` between other lines."""
        if not self.code and "\n" not in self.text:
            return self._marked_html(0, len(self.text))
        parts, at = list[str](), 0
        for start, end in self.code:
            parts += [self._marked_html(at, max(start - 1, at)).replace("\n", "<br>")] if start else []
            parts += ["<pre><code>", self._marked_html(start, end), "</code></pre>"]
            at = min(end + 1, len(self.text))
        parts.append(self._marked_html(at, len(self.text)).replace("\n", "<br>"))
        return "".join(parts)

    def _marked_html(self, at: int, until: int) -> str:
        text, parts = self.text, list[str]()
        for start, end in self.marks:
            if at <= start and end <= until:
                parts += text[at:start], "<mark>", text[start:end], "</mark>"
                at = end
        parts.append(text[at:until])
        # Most text contains none of these, and five searches for one character are faster than a pattern of all.
        if "'" in text or '"' in text or "<" in text or ">" in text or "&" in text:
            parts[::2] = map(escape, parts[::2])
        return "".join(parts)


def excerpt(chunk_text: ChunkText, marks: Sequence[Mark], part: Window) -> Snippet:
    """Return the snippet for a part of a chunk's text, with the marks inside it."""
    start, end, is_cut_before, is_cut_after = part
    text, starts = chunk_text.text[start:end], chunk_text.starts
    first = bisect_right(starts, start) - 1
    kinds = chunk_text.kinds[max(first, 0) : bisect_left(starts, end)]
    among = marks[bisect_left(marks, (start,)) : bisect_left(marks, (end,))]
    inside: _Ranges = [(a - start, b - start) for a, b, _ in among if b <= end]
    code: _Ranges = ()
    if "\n" in text and "pp" in kinds:
        text = _join_paragraphs(text, start, kinds, starts[first:])
    if "c" in kinds:
        code = _code(len(text), start, kinds, starts[first:])
        if any(text[at] == " " for at, _ in code):
            text, inside, code = _without_indent(text, inside, code)
    if hidden := hidden_positions(text):
        text, inside, code = _without(hidden, text, inside, code)
    if is_cut_before:
        text = _ELLIPSIS + text
        inside = [(a + 1, b + 1) for a, b in inside]
        code = [(a and a + 1, b + 1) for a, b in code]
    if is_cut_after:
        code = [(a, b + (b == len(text))) for a, b in code]
        text += _ELLIPSIS
    return Snippet(text, tuple(inside), tuple(code), bool(kinds.strip("hfn")))


def _join_paragraphs(text: str, start: int, kinds: str, starts: Sequence[int]) -> str:
    """Join neighbouring paragraphs into one line; other units keep their own lines."""
    parts, at = list[str](), 0
    for unit in range(1, len(kinds)):
        begin = starts[unit] - start
        if text[begin - 1] == "\n" and kinds[unit - 1] == kinds[unit] == "p":
            parts.append(text[at : begin - 1])
            at = begin
    return " ".join([*parts, text[at:]])


def _code(size: int, start: int, kinds: str, starts: Sequence[int]) -> list[_Range]:
    """Return the ranges of code lines, adjacent lines as one range."""
    ends = [unit - start - 1 for unit in starts[1 : len(kinds)]] + [size]
    runs = [run.span() for run in _CODE_RUN.finditer(kinds)]
    return [(ends[first - 1] + 1 if first else 0, ends[last - 1]) for first, last in runs]


def _without(positions: Sequence[int], text: str, marks: _Ranges, code: _Ranges) -> tuple[str, _Ranges, _Ranges]:
    """Remove the characters at some positions, and move the ranges."""
    removed = frozenset(positions)

    def move(ranges: _Ranges) -> list[_Range]:
        return [(a - bisect_left(positions, a), b - bisect_left(positions, b)) for a, b in ranges]

    return "".join(char for at, char in enumerate(text) if at not in removed), move(marks), move(code)


def _without_indent(text: str, marks: _Ranges, code: _Ranges) -> tuple[str, list[_Range], list[_Range]]:
    """Remove the indentation that all lines of a run of code share, and move the ranges."""
    cuts, removed = list[int](), [0]  # starts of code lines, and the number of characters removed up to each
    parts, at = list[str](), 0
    for start, end in code:
        lines = text[start:end].split("\n")
        indent = min(len(line) - len(line.lstrip(" ")) for line in lines)
        for line in lines:
            cuts.append(start)
            removed.append(removed[-1] + indent)
            parts.append(text[at:start])
            at, start = start + indent, start + len(line) + 1
    parts.append(text[at:])
    return (
        "".join(parts),
        [(a - removed[bisect_right(cuts, a)], b - removed[bisect_left(cuts, b)]) for a, b in marks],
        [(a - removed[bisect_left(cuts, a)], b - removed[bisect_left(cuts, b)]) for a, b in code],
    )
