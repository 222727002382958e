"""Compare current files with the indexed ones: find changed and deleted files, and lines that moved."""

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from searchsocket.extensions.code.parsing.text import source_text

ReadNow = Callable[[str], bytes | None]  # path -> current content of the file; None if it was deleted


class LinesNow(NamedTuple):
    """Current position of a chunk's text in its file."""

    first: int
    last: int
    changed: bool  # True if the file changed since it was indexed


def lines_now(text: str, first: int, last: int, indexed: str, data: bytes | None) -> LinesNow | None:
    """Return the current position of a chunk; None if its file was deleted.

    Args:
        text: Text of the chunk.
        first, last: Its indexed position.
        indexed: Hash of the indexed file; "" if unknown, since the file changed while it was indexed.
        data: Current content of the file.
    """
    if data is None:
        return None
    if not is_changed(indexed, data):
        return LinesNow(first, last, changed=False)
    at = _nearest(source_text(data)[0], text, first)
    if at is None:
        return LinesNow(first, last, changed=True)
    return LinesNow(at, at + last - first, changed=True)


def is_changed(indexed: str, data: bytes) -> bool:
    """Return True if the file's bytes do not match the indexed hash."""
    return sha256(data).hexdigest() != indexed


def _nearest(now: str, text: str, first: int) -> int | None:
    """Return the line, nearest to line `first`, at which the text starts now; None if it is not in the file."""
    chunk_lines, lines = text.split("\n"), now.split("\n")
    size = len(chunk_lines)
    starts = [at for at, line in enumerate(lines) if line == chunk_lines[0] and lines[at : at + size] == chunk_lines]
    return min(starts, key=lambda at: abs(at + 1 - first)) + 1 if starts else None
