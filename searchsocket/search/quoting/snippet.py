"""The passage of a chunk that answers, as plain text, with the query's words marked."""

import re
import unicodedata
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from searchsocket.search.quoting.marks import Mark

MAX_CHARS = 240
_LEAD_CHARS = 100  # a sentence that began this far before the first marked word is shown from its beginning
_CONTEXT_CHARS = 40  # else so much of what stands before it
_LONGEST_WORD = 40  # a longer run without a space is cut inside, between graphemes
_ELLIPSIS = "…"
_MARKUP = re.compile("[&<>\"']")
_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"[.!?:。！？]\s|\n")


class Snippet(NamedTuple):
    """Plain text on one line; `marks` are half-open ranges of code points, ascending, apart."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    @property
    def html(self) -> str:
        """The text escaped for HTML, with `<mark>` around each mark and no other markup."""
        text, parts, at = self.text, list[str](), 0
        written = escape if _MARKUP.search(text) else str  # most text holds none
        for start, end in self.marks:
            parts += [written(text[at:start]), "<mark>", written(text[start:end]), "</mark>"]
            at = end
        return "".join([*parts, written(text[at:])])


def excerpt(text: str, marks: Sequence[Mark], span: tuple[int, int]) -> Snippet:
    """The part `span` of `text` on one line, with the marks that lie inside it."""
    start, end = span
    before = _ELLIPSIS if start > 0 else ""
    after = _ELLIPSIS if end < len(text) else ""
    shift = len(before) - start
    inside = tuple([(first + shift, last + shift) for first, last, _ in marks if start <= first and last <= end])
    return Snippet(before + text[start:end].replace("\n", " ") + after, inside)


def window(text: str, marks: Sequence[Mark], max_chars: int) -> tuple[int, int]:
    """Start and end of the part with the most different query words, then the most of them, then the earliest.

    Args:
        text: Plain text as `chunk_text.fold` returns it.
        marks: Where the query's words stand in it, ascending and apart.
        max_chars: Code points, ellipses not counted.
    """
    if len(text) <= max_chars:
        return 0, len(text)
    first, last = _densest(marks, max_chars)
    start = _start(text, first, max_chars - (last - first))
    end = _cut(text, start + max_chars, floor=max(last, start + 1))
    return start, end


def _densest(marks: Sequence[Mark], max_chars: int) -> tuple[int, int]:
    """Start of the first and end of the last mark of the best window; (0, 0) without marks."""
    if not marks or marks[-1].end - marks[0].start <= max_chars:
        return (marks[0].start, marks[-1].end) if marks else (0, 0)
    first = last = behind = most_words = most_marks = 0
    counts: dict[str, int] = {}
    for at, (_, end, word) in enumerate(marks):
        counts[word] = counts.get(word, 0) + 1
        while end - marks[behind].start > max_chars and behind < at:
            left = marks[behind].word
            counts[left] -= 1
            if not counts[left]:
                del counts[left]
            behind += 1
        words = len(counts)
        if words > most_words or (words == most_words and at - behind >= most_marks):
            first, last, most_words, most_marks = behind, at, words, at - behind + 1
    start = marks[first].start
    return start, min(marks[last].end, start + max_chars)


def _start(text: str, first: int, spare: int) -> int:
    """Where the window begins: at a sentence if one begins near, else at a word a little before the first mark."""
    if first == 0:
        return 0
    reach = max(first - min(_LEAD_CHARS, spare), 0)
    if reach == 0:
        return 0
    sentences = [match.end() for match in _SENTENCE_END.finditer(text, reach, first)]
    if sentences:
        return sentences[-1]
    near = max(first - min(_CONTEXT_CHARS, spare), 0)
    space = _SPACE.search(text, near, first)
    if space:
        return space.end()
    # Scripts without spaces have no half words, only half graphemes.
    return _whole_grapheme(text, near if unicodedata.east_asian_width(text[near]) in "WF" else first)


def _cut(text: str, end: int, floor: int) -> int:
    """The last place at or before `end`, not before `floor`, where neither a word nor a grapheme is cut."""
    if end >= len(text):
        return len(text)
    if text[end].isspace():
        return end
    space = max(text.rfind(" ", floor, end), text.rfind("\n", floor, end))
    if space >= 0 and end - space <= _LONGEST_WORD:
        return space
    return max(_whole_grapheme(text, end), floor)


def _whole_grapheme(text: str, at: int) -> int:
    """`at`, or the nearest place before it that is not inside what readers see as one character."""
    while 0 < at < len(text) and _joined(text[at - 1], text[at]):
        at -= 1
    return at


def _joined(left: str, right: str) -> bool:
    """Whether two code points may belong to one grapheme; flags and emoji sequences stay whole."""
    if right.isascii():
        return False
    return (
        unicodedata.category(right) in ("Mn", "Mc", "Me")
        or "\u200d" in (left, right)
        or "\U0001f3fb" <= right <= "\U0001f3ff"  # skin tones
        or ("\U0001f1e6" <= right <= "\U0001f1ff" and "\U0001f1e6" <= left <= "\U0001f1ff")  # flags, two letters each
    )
