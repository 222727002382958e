"""Preview of a chunk: its first lines, and the lines that contain words of the query."""

import re
from collections.abc import Iterator, Sequence

from searchsocket.text.words import index_text, parse_query

_LINES, _CHARS = 12, 800
_HEAD = 5  # of those: what stays of the beginning, where the signature is
_GAP = re.compile(r"⋮ (\d{1,6}) lines")  # a line by itself where so many are left out


def preview(text: str, q: str = "") -> str:
    """The first twelve lines of a chunk, or its first five, a gap and the seven that match the query best.

    Those match best that contain the most different words of the query, then the most words.
    """
    lines = text.split("\n")
    said = _said(lines, q) if len(lines) > _LINES else []
    start, length = _best(said, len(lines)) if said else (0, _LINES)
    lines_out = (
        lines[:_LINES] if start == 0 else [*lines[:_HEAD], f"⋮ {start - _HEAD} lines", *lines[start : start + length]]
    )
    return "\n".join(lines_out)[:_CHARS]


def numbered_lines(text: str, first: int) -> Iterator[tuple[int, str]]:
    """The lines of the file that a preview shows, each with its number; `first` is that of the chunk."""
    number = first
    for line in text.split("\n"):
        if gap := _GAP.fullmatch(line):
            number += int(gap[1])
        else:
            yield number, line
            number += 1


def _said(lines: Sequence[str], q: str) -> list[set[str]]:
    """The words of the query, in any form, that each line contains."""
    words = {form for word in parse_query(q).words if not word.is_stop for form in (word.exact, word.stem, *word.parts)}
    return [words.intersection(index_text(line).split()) for line in lines] if words else []


def _best(said: Sequence[set[str]], count: int) -> tuple[int, int]:
    """The first line to show, and how many; the beginning of the chunk unless other lines match better."""

    def worth(first: int, last: int) -> tuple[int, int]:
        return len(set().union(*said[first:last])), sum(map(len, said[first:last]))

    length = _LINES - _HEAD
    starts = range(_HEAD + 1, count - length + 1)
    best = max(starts, key=lambda start: worth(start, start + length), default=0)
    return (best, length) if best and worth(best, best + length) > worth(_HEAD, _LINES) else (0, _LINES)
