"""Choose the section at which a result opens: the section about the query, not one with scattered words.

Measured by links into sections of three documentation sites: docs/notes/quality.md, "The section that opens".
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence, Set
from functools import lru_cache

from searchsocket.content.markdown.chunk_text import ChunkText, Opening
from searchsocket.search.quoting.marks import Mark
from searchsocket.text.words import QueryWord, fold, names_of, parse_query, possible_names, stem

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
