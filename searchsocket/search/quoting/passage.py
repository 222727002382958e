"""Choose the section at which a result opens, and the part of it to show.

The section is about the query, not one with scattered words: measured by links into sections of three documentation
sites (docs/notes/quality.md, "The section that opens"). The part starts at a sentence, a list item, a table row or a
line of code.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from searchsocket.content.markdown.chunk_text import ChunkText, Opening
from searchsocket.search.quoting.marks import Mark
from searchsocket.text.graphemes import safe_cut
from searchsocket.text.words import QueryWord, fold, name_of, names_of, parse_query, possible_names, stem

# A heading that equals the query outweighs most differences between two passages of one page.
_HEADING = 0.5
# Between sections with such headings, the passage with more of the query's words wins.
_PASSAGE = 0.1
_PARTS = re.compile(r"[-.:]+")
_NEEDLE = 3  # first letters, which a word and its stem share


class SectionScorer:
    """Scores sections by the words of one query in headings and passages."""

    def __init__(self, q: str) -> None:
        self.names = frozenset(possible_names(q))
        self._words = {_stem_of(word): word.exact for word in _content_words(q)}
        # A heading without any of these is not split into words, which costs more than quoting the passage.
        self._needles = tuple({needle[:_NEEDLE] for needle in self._words})
        self._matches: dict[str, Set[str]] = {}  # heading -> its words that are in the query

    def about(self, heading: str) -> float:
        """Return the relevance of a section: the share of the query in the heading times the share of the heading in
        the query.

        Words count whole, and parts between dots and hyphens: `beginswith` matches `text.beginswith`, but `prefetch`
        does not match `prefetch_related`.
        """
        both = len(self._in(heading))
        return both * both / (len(self._words) * self._length(heading)) if both else 0.0

    def _length(self, heading: str) -> int:
        """Return the number of words of a heading; of their parts, if the query has one of those."""
        whole = _words_of(heading)
        return len(whole) if self._in(heading) <= whole else max(len(whole), len(_parts_of(heading)))

    def section_score(self, score: float, heading: str, marked: Collection[str]) -> float:
        """Return the score by which the sections of one page are compared.

        Args:
            score: Score of the chunk.
            marked: Query words in the passage, as `Mark.word`.
        """
        matching = self._in(heading)
        if not matching:
            return score
        covered = sum(form in matching or word in marked for form, word in self._words.items())
        return score + _HEADING * self.about(heading) + _PASSAGE * covered / max(len(self._words), 1)

    def covers(self, headings: Iterable[str], marked: Collection[str] = ()) -> bool:
        """Return True if every query word is in one of the headings or marked, and at least one is in a heading."""
        matching = frozenset[str]().union(*map(self._in, headings))
        return bool(matching) and all(form in matching or word in marked for form, word in self._words.items())

    def most(self, score: float, headings: Sequence[str]) -> float:
        """Return the upper bound of `section_score` for a chunk with these headings."""
        about = max(map(self.about, headings))
        return score + _HEADING * about + _PASSAGE if about else score

    def _in(self, heading: str) -> Set[str]:
        matching = self._matches.get(heading)
        if matching is None:
            folded = _folded(heading)
            is_likely = any(needle in folded for needle in self._needles)
            matching = self._matches[heading] = (
                self._words.keys() & (_words_of(heading) | _parts_of(heading)) if is_likely else frozenset()
            )
        return matching


@lru_cache(maxsize=1 << 12)  # headings repeat from query to query
def _words_of(heading: str) -> frozenset[str]:
    return frozenset(map(_stem_of, _content_words(heading)))


@lru_cache(maxsize=1 << 12)
def _parts_of(heading: str) -> frozenset[str]:
    """Return the stems of the parts of dotted and hyphened names."""
    names = (word.exact for word in _content_words(heading) if not word.stem)
    return frozenset(stem(part) for name in names for part in _PARTS.split(name) if len(part) > 1)


@lru_cache(maxsize=1 << 12)
def _folded(heading: str) -> str:
    return fold(heading)


def _content_words(text: str) -> list[QueryWord]:
    """Return the words of a text without stop words and section numbers."""
    return [word for word in parse_query(text).words if not word.is_stop and any(map(str.isalpha, word.exact))]


def _stem_of(word: QueryWord) -> str:
    return word.stem or word.exact


def opening_of(
    openings: Sequence[Opening], marks: Iterable[Mark], span: tuple[int, int], own_words: Iterable[str] = ()
) -> Opening | None:
    """Return the heading of the section in a passage with the most different query words, then most, then first.

    Args:
        openings: Sections of the chunk after its first one.
        marks: Marks in the chunk's text; those outside `span` do not count.
        span: Start and end of the passage.
        own_words: Query words in the title of the chunk's first section, which its text does not repeat.

    Returns:
        None for the chunk's first section. Without marks, the section in which the passage begins.
    """
    starts = [opening.start for opening in openings]
    first = bisect_right(starts, span[0])
    words_in: dict[int, list[str]] = {first: []}
    if first == 0:
        words_in[0] += own_words
    for mark in marks:
        if span[0] <= mark.start and mark.end <= span[1]:
            words_in.setdefault(bisect_right(starts, mark.start), []).append(mark.word)
    best = max(words_in, key=lambda section: (len(set(words_in[section])), len(words_in[section]), -section))
    return openings[best - 1] if best else None


def section_called(names: Set[str], title: str, text: ChunkText) -> tuple[int, Opening | None] | None:
    """Return the end and the opening of the section with one of the names; the first section has no opening.

    Args:
        names: Names that the query may be, see `possible_names`.
        title: Title of the chunk's first section.
    """
    ends = [*(opening.start for opening in text.openings), len(text.text)]
    for end, opening in zip(ends, (None, *text.openings), strict=True):
        if not names.isdisjoint(names_of(opening.title if opening else title)):
            return end, opening
    return None


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
