"""Preview of a chunk: its first lines, and the lines that contain words of the query."""

import re
from collections.abc import Iterator, Sequence

from searchsocket.text.words import index_text, parse_query

_LINES, _CHARS = 12, 800
_HEAD = 5  # lines at the beginning that always stay, since they contain the signature
_GAP = re.compile(r"⋮ (\d{1,6}) lines")  # a line that replaces this number of lines


def preview(text: str, q: str = "", *, has_signature: bool = True) -> str:
    """Return the first 12 lines of a chunk, or its first 5, a gap and the 7 that match the query best.

    Lines without a signature, such as imports and constants, are not worth the first 5: the 12 best are returned. The
    best lines contain the most different words of the query, then the most words.
    """
    lines = text.split("\n")
    words_by_line = _query_words(lines, q) if len(lines) > _LINES else []
    head = _HEAD if has_signature else 0
    start, length = _best(words_by_line, len(lines), head) if words_by_line else (0, _LINES)
    lines_out = (
        lines[:_LINES] if start == 0 else [*lines[:head], f"⋮ {start - head} lines", *lines[start : start + length]]
    )
    return "\n".join(lines_out)[:_CHARS]


def numbered_lines(text: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a preview with their numbers in the file; `first` is the chunk's first line."""
    number = first
    for line in text.split("\n"):
        if gap := _GAP.fullmatch(line):
            number += int(gap[1])
        else:
            yield number, line
            number += 1


def _query_words(lines: Sequence[str], q: str) -> list[set[str]]:
    """Return for each line the words of the query, in any form, that it contains."""
    words = {form for word in parse_query(q).words if not word.is_stop for form in (word.exact, word.stem, *word.parts)}
    return [words.intersection(index_text(line).split()) for line in lines] if words else []


def _best(words_by_line: Sequence[set[str]], count: int, head: int) -> tuple[int, int]:
    """Return the first line to show and the number of lines: the chunk's beginning unless others match better."""

    def score(first: int, last: int) -> tuple[int, int]:
        return len(set().union(*words_by_line[first:last])), sum(map(len, words_by_line[first:last]))

    length = _LINES - head
    starts = range(head + 1, count - length + 1)
    best = max(starts, key=lambda start: score(start, start + length), default=0)
    return (best, length) if best and score(best, best + length) > score(head, _LINES) else (0, _LINES)
