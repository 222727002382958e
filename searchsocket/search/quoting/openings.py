"""Choose the section of a chunk that answers: a chunk may contain several small sections."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence, Set

from searchsocket.content.markdown.plain_text import ChunkText, Opening
from searchsocket.search.quoting.marks import Mark
from searchsocket.text.words import names_of


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
