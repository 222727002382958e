"""The lines of a constant in a chunk that has other lines, too, such as the imports above it."""

import re
from typing import NamedTuple

from searchsocket.types import Lines

_SHORT = frozenset({"constant", "variable"})  # kinds that share a chunk with their neighbours
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--)")
_CLOSING = re.compile(r"\s*[\])}]")


class OwnLines(NamedTuple):
    """Some lines of a chunk, by index, the last one included."""

    first: int
    last: int


def own_lines(text: str, at: Lines, name: str) -> OwnLines | None:
    """The lines of a constant or variable, with the comment above it; None for anything else.

    Args:
        text: The text of the chunk.
        at: The place of the chunk at the time of the index.
        name: The qualified name of the definition.
    """
    lines = text.split("\n")
    if len(lines) != at.last - at.first + 1:  # a part of an endless line
        return None
    starts = {name: int(line) - at.first for line, kind, name in map(_parts, at.defines) if kind in _SHORT}
    if not 0 <= (start := starts.get(name, -1)) < len(lines):
        return None
    others = (int(line) - at.first for line, _, _ in map(_parts, at.defines))
    end = min((other for other in others if other > start), default=len(lines)) - 1
    return OwnLines(_with_comment(lines, start), _end(lines, start, end))


def _parts(defined: str) -> tuple[str, str, str]:
    line, kind, name = defined.split(":", 2)
    return line, kind, name


def _with_comment(lines: list[str], start: int) -> int:
    while start > 0 and _COMMENT.match(lines[start - 1]):
        start -= 1
    return start


def _end(lines: list[str], start: int, end: int) -> int:
    """The last line that is indented below the first one, or closes it."""
    depth = _indent(lines[start])
    last = start
    for at in range(start + 1, end + 1):
        if not lines[at].strip():
            continue
        if _indent(lines[at]) <= depth and not _CLOSING.match(lines[at]):
            break
        last = at
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
