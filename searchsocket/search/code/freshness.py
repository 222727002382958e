"""Files as they are now against those that were indexed: changed, moved within, or gone."""

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from searchsocket.code.text import source_text

ReadNow = Callable[[str], bytes | None]  # path -> what the file holds now; None where it is gone


class LinesNow(NamedTuple):
    """Current position of a chunk's text in its file."""

    first: int
    last: int
    changed: bool  # the file is another one than the one that was indexed


def lines_now(text: str, first: int, last: int, indexed: str, data: bytes | None) -> LinesNow | None:
    """The current position of a chunk; None if its file was deleted.

    Args:
        text: Of the chunk.
        first, last: Where it stood.
        indexed: The hash of the file as it was indexed; "" where that is not known: it was written again meanwhile.
        data: The file now.
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
    """The line nearest to where it stood that begins a block of lines that say the text."""
    chunk_lines, lines = text.split("\n"), now.split("\n")
    size = len(chunk_lines)
    starts = [at for at, line in enumerate(lines) if line == chunk_lines[0] and lines[at : at + size] == chunk_lines]
    return min(starts, key=lambda at: abs(at + 1 - first)) + 1 if starts else None
