"""Exact search: the searchable text of a page on the lines of its Markdown, and the pattern of the words."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.content.markdown.text import inline_text
from searchsocket.stores.base.index_reader import Letters
from searchsocket.text.words import plain_words, readable_markdown

_BEFORE, _AFTER = 60, 120
_HEADING = re.compile(r"(#{1,6}) (.*?)(?: \{#([^{}\s]*)\})?$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RUN = re.compile("[a-z]+")
_INDEXED = range(3, 33)  # lengths of the words in the vocabulary of a record


class Heading(NamedTuple):
    """A heading of a page."""

    line: int  # from 0
    anchor: str  # "" if it has none
    title: str


class OccurrenceText(NamedTuple):
    """Text around an occurrence, on the occurrence's own lines."""

    text: str
    start: int  # of the occurrence in `text`
    end: int


def page_text(mirror: str) -> str:
    """Return the readable text of a page's mirror file, with the line breaks of its Markdown."""
    return readable_markdown(mirror.partition("\n---\n\n")[2])


def passage_at(text: str, start: int, end: int) -> OccurrenceText:
    """Return the occurrence with the text before and after it, cut between words."""
    first = max(text.rfind("\n", 0, start) + 1, start - _BEFORE)
    stop = text.find("\n", end)
    last = min(stop if stop >= 0 else len(text), end + _AFTER)
    while first < start and first > 0 and not text[first - 1].isspace():
        first += 1
    while last > end and last < len(text) and not text[last].isspace():
        last -= 1
    while first < start and text[first].isspace():
        first += 1
    return OccurrenceText(text[first:last].rstrip(), start - first, end - first)


def headings(markdown: str) -> list[Heading]:
    """Return the headings of a page's Markdown, outside of code."""
    return list(_headings(markdown))


def _headings(markdown: str) -> Iterator[Heading]:
    fence = ""
    for number, line in enumerate(markdown.split("\n")):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            yield Heading(number, heading[3] or "", inline_text(heading[2]))


def heading_above(headings: list[Heading], line: int) -> Heading:
    """Return the nearest heading with an anchor at or above a line; an empty one at the top of a page."""
    above = bisect_right(headings, line, key=lambda heading: heading.line)
    return next((heading for heading in headings[:above][::-1] if heading.anchor), Heading(0, "", ""))


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words in a fixed order, with any white space between them."""

    text: str  # one line; single spaces, unless it is literal
    whole_words: bool = True  # an occurrence starts and ends at word boundaries
    match_case: bool = False
    literal: bool = False  # white space must match too

    @property
    def pattern(self) -> re.Pattern[str]:
        """Pattern of an occurrence."""
        parts = [self.text] if self.literal else self.text.split()
        pattern = r"\s+".join("".join(map(self._char, part)) for part in parts)
        if not self.whole_words:
            return re.compile(pattern)
        start = r"(?<!\w)" if re.match(r"\w", self.text) else ""
        end = r"(?!\w)" if re.match(r"\w", self.text[-1]) else ""
        return re.compile(start + pattern + end)

    @property
    def letters(self) -> Sequence[Letters]:
        """Letters that every page with an occurrence contains. Other pages may too; an empty list matches all pages."""
        if self.whole_words:
            return [Letters(word) for word in plain_words(self.text)]
        if not self.text.isascii():
            return []
        text = self.text.lower()
        runs = (run for run in _RUN.finditer(text) if len(run[0]) in _INDEXED)
        return [Letters(run[0], run.start() > 0 and run.end() < len(text)) for run in runs]

    def _char(self, char: str) -> str:
        # `re.IGNORECASE` would match the Kelvin sign with a k, unlike the index.
        cases = {char} if self.match_case else {case for case in (char, char.lower(), char.upper()) if len(case) == 1}
        return re.escape(char) if len(cases) == 1 else f"[{''.join(map(re.escape, sorted(cases)))}]"
