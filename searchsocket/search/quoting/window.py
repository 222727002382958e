"""Choose the part of a chunk to show: it starts at a sentence, a list item, a table row or a line of code."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.search.quoting.marks import Mark
from searchsocket.text.graphemes import safe_cut
from searchsocket.text.words import name_of

# Rank of near-equal windows by the kind of their first unit. From 2 on, a unit counts as an answer.
_RANK = {"p": 3, "l": 3, "t": 2, "f": 1, "c": 1}
_MOST = 3
_LEAD_CHARS = 100  # max distance to move the start back to that of its paragraph, or to a line with a colon
_CONTEXT_CHARS = 40  # text shown before the word in a sentence that is too long
_TAIL_CHARS = 24  # room to complete a marked word at the end
_LONGEST_WORD = 80  # a longer run without a space is data, and may be cut
_MAX_LINES = 6
_MAX_CANDIDATES = 200  # a chunk of ordinary size has fewer
_FEWEST_CHARS = 60  # a shorter snippet is of little use, so it continues below the next heading
_CLAUSE = re.compile(r"[,;:)–—]\s+|[、，；：]")
_SPACE = re.compile(r"\s+")


class Window(NamedTuple):
    """A half-open range of a text."""

    start: int
    end: int
    is_cut_before: bool = False  # inside a sentence
    is_cut_after: bool = False


def beginning(chunk_text: ChunkText, marks: Sequence[Mark], max_chars: int) -> tuple[int, bool]:
    """Return the start of the best window of a text, and True if it is inside a sentence that is too long.

    The best window has the most different query words; those in sentences, items and rows count double. Of near-equal
    windows it is the one that starts with prose, then the earliest, since a definition precedes details.

    Args:
        chunk_text: The text of a chunk.
        marks: Positions of the query's words in it, ascending and disjoint.
        max_chars: Code points of the window.
    """
    if len(chunk_text.text) <= max_chars:
        return 0, False
    if not marks:
        return _first_answer(chunk_text), False
    start, is_inside = _best(chunk_text, marks, max_chars)
    return (start, True) if is_inside else (_lead(chunk_text, start, marks, max_chars), False)


def window(chunk_text: ChunkText, marks: Sequence[Mark], max_chars: int, begins: tuple[int, bool]) -> Window:
    """Return the part of a text to show, at most `max_chars`; the whole text if it fits.

    Args:
        begins: From `beginning`.
    """
    if len(chunk_text.text) <= max_chars:
        return Window(0, len(chunk_text.text))
    start, is_inside = begins
    end, is_cut = _end(chunk_text, start, _end_with_all(marks, start, start + max_chars), max_chars)
    return Window(start, end, is_inside, is_cut)


def below_title(chunk_text: ChunkText, part: Window, title: str, page_title: str) -> Window:
    """Remove headings at the start of a part that repeat the titles above it, unless nothing remains.

    Args:
        title: Title of the section that opens; an equal heading is removed.
        page_title: An equal heading, or one that is a part of it, is removed.
    """
    starts, kinds = chunk_text.starts, chunk_text.kinds
    unit = first = bisect_right(starts, part.start) - 1
    while kinds[unit : unit + 1] == "h" and unit + 1 < len(starts) and starts[unit + 1] < part.end:
        name = name_of(chunk_text.text[starts[unit] : starts[unit + 1]])
        if not name or (name != name_of(title) and f" {name} " not in f" {name_of(page_title)} "):
            break
        unit += 1
    return part if unit == first else part._replace(start=starts[unit], is_cut_before=False)


def _best(chunk_text: ChunkText, marks: Sequence[Mark], max_chars: int) -> tuple[int, bool]:
    """Return the start of the best window, and True if it is inside a sentence that is too long."""
    starts, kinds, room = chunk_text.starts, chunk_text.kinds, max_chars - _TAIL_CHARS
    unit = bisect_right(starts, marks[0].start) - 1
    if marks[-1].end - starts[unit] <= room and _RANK.get(kinds[unit]) == _MOST:
        return starts[unit], False  # no window shows more
    bits: dict[str, int] = {}  # query word -> its bit
    mark_bits: list[tuple[int, int, int]] = []  # per mark: its end, its word's bit, and the bit if it answers, else 0
    candidates: list[tuple[int, int, int, bool]] = []  # start, rank, first mark, True if inside a sentence
    reached = unit_end = -1
    for number, (first, last, word) in enumerate(marks):
        bit = bits.get(word) or bits.setdefault(word, 1 << len(bits))
        if first >= unit_end:
            unit = bisect_right(starts, first) - 1
            unit_start, unit_end = starts[unit], starts[unit + 1] if unit + 1 < len(starts) else len(chunk_text.text)
            rank = _RANK.get(kinds[unit], 0)
        mark_bits.append((last, bit, bit if rank > 1 else 0))
        is_inside = last - unit_start > room
        if is_inside:
            if reached > unit_start and last - reached <= room:
                continue
            unit_start = _inside(chunk_text.text, max(unit_start, reached), first, room - (last - first))
        if unit_start > reached and len(candidates) < _MAX_CANDIDATES:
            reached = unit_start
            candidates.append((unit_start, rank, number, is_inside))
    if len(candidates) == 1:
        return candidates[0][0], candidates[0][3]
    best, most, all_words = candidates[0], (-1, 0), 2 * len(bits)
    for candidate in candidates:
        start, rank, number, is_inside = candidate
        if most[0] == all_words and rank <= most[1]:
            continue
        limit = start + max_chars
        words = answering = 0
        for last, bit, answer in mark_bits[number:]:
            if last > limit:
                break
            words |= bit
            answering |= answer
        score = words.bit_count() + answering.bit_count() - is_inside, rank
        if score > most:
            best, most = candidate, score
            if score == (all_words, _MOST):
                break
    return best[0], best[3]


def _lead(chunk_text: ChunkText, start: int, marks: Sequence[Mark], max_chars: int) -> int:
    """Move the start of a window so that it reads well; the heading of a section is shown separately."""
    text, starts, kinds = chunk_text.text, chunk_text.starts, chunk_text.kinds
    if not start:
        return 0
    unit = bisect_right(starts, start) - 1
    earlier = unit
    if kinds[unit] == "h":
        return starts[next((below for below in range(unit + 1, len(kinds)) if kinds[below] != "h"), unit)]
    if text[start - 1] != "\n":  # the sentences before it
        while earlier and text[starts[earlier] - 1] != "\n":
            earlier -= 1
    elif kinds[unit] in "ctl" and kinds[unit - 1] in "pfl" and text[start - 2] == ":":
        earlier -= 1
    if earlier == unit or start - starts[earlier] > _LEAD_CHARS:
        return start
    last = next((end for _, end, _ in reversed(marks) if end <= start + max_chars), start)
    return starts[earlier] if last + _TAIL_CHARS <= starts[earlier] + max_chars else start


def _first_answer(chunk_text: ChunkText) -> int:
    """Return the start of the first sentence, item or row of the chunk's first section."""
    floor = chunk_text.openings[0].start if chunk_text.openings else len(chunk_text.text)
    units = zip(chunk_text.starts, chunk_text.kinds, strict=True)
    return next((at for at, kind in units if at < floor and _RANK.get(kind, 0) > 1), 0)


def _end_with_all(marks: Sequence[Mark], start: int, limit: int) -> int:
    """Return the position from which on a window contains each of its query words once."""
    words, end = set[str](), start
    for first, last, word in marks:
        if last > limit:
            break
        if first >= start and word not in words:
            words.add(word)
            end = last
    return end


def _end(chunk_text: ChunkText, start: int, last_mark: int, max_chars: int) -> tuple[int, bool]:
    """Return the end of a window, and True if it is inside a unit: at a new subject, otherwise after a whole unit."""
    text, starts, kinds = chunk_text.text, chunk_text.starts, chunk_text.kinds
    limit = start + max_chars
    below = bisect_right(starts, start)
    end = lines = 0
    while below < len(starts):
        after = starts[below]
        at = after - text[after - 1].isspace()
        if at > limit:
            break
        lines += text[after - 1] == "\n"
        if at >= last_mark:
            is_intro, is_long = text[at - 1] == ":", at - start >= _FEWEST_CHARS
            if lines == _MAX_LINES or (is_long and not is_intro and kinds[below] in "hfn"):
                return at, False
            if not (is_intro and end - start >= _FEWEST_CHARS):  # else the introduced text may not fit
                end = at
        below += 1
    if limit >= len(text):
        return len(text), False
    if end and (end - start >= max_chars // 2 or kinds[below - 1] in "ct"):
        return end, False
    return _cut(text, limit, start + 1), True


def _inside(text: str, floor: int, first: int, spare: int) -> int:
    """Return the start of a window inside a sentence that is too long: after a comma, otherwise at a word."""
    reach = max(floor, first - max(min(_LEAD_CHARS, spare), 0))
    clauses = [match.end() for match in _CLAUSE.finditer(text, reach, first)]
    if clauses:
        return clauses[-1]
    near = max(floor, first - max(min(_CONTEXT_CHARS, spare), 0))
    if unicodedata.east_asian_width(text[first]) in "WF":
        return safe_cut(text, near, floor)  # scripts without spaces are cut between graphemes
    space = _SPACE.search(text, near, first)
    if space:
        return space.end()
    at = max(text.rfind(" ", reach, first), text.rfind("\n", reach, first)) + 1
    return at or safe_cut(text, first, reach)


def _cut(text: str, end: int, floor: int) -> int:
    """Return the last position from `floor` to `end` at which neither a word nor a grapheme is cut."""
    if text[end].isspace():
        return end
    space = max(text.rfind(" ", floor, end), text.rfind("\n", floor, end))
    if space >= 0 and end - space <= _LONGEST_WORD and unicodedata.east_asian_width(text[end]) not in "WF":
        return space
    return max(safe_cut(text, end, floor), floor)
