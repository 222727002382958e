"""Cut a code block, table or quote that is too large, so that every piece is valid Markdown by itself."""

import re

from searchsocket.content.chunking.sentences import slices, split_prose
from searchsocket.content.markdown.blocks import Fence, opening_fence

# A fence, info string or quote prefix longer than this is not repeated: it would crowd out the text.
_MAX_REPEATED = 40
_QUOTE_PREFIX = re.compile(r"(?: {0,3}> ?)+")


def cut_code(text: str, limit: int) -> list[str]:
    """Cut a code block between lines; the fence is closed and opened again with its info string."""
    lines = text.split("\n")
    fence = opening_fence(lines[0])
    if fence is None or len(fence.mark) > _MAX_REPEATED or fence.indent > _MAX_REPEATED:
        return group_lines(lines, limit)
    opening, content, closing = lines[0], lines[1:-1], " " * fence.indent + fence.mark
    if len(opening) - len(closing) > _MAX_REPEATED:
        # No info string is this long: keep its words in the code.
        content = [opening[len(closing) :].strip(), *content]
        opening = closing
    room = max(limit - len(opening) - len(closing) - 2, limit // 2, 1)
    return ["\n".join((opening, part, closing)) for part in group_lines(content, room)]


def cut_table(text: str, limit: int) -> list[str]:
    """Cut a table between rows; each piece starts with the header."""
    lines = text.split("\n")
    header, rows = "\n".join(lines[:2]), lines[2:]
    if len(header) > limit // 2 or not rows:
        return group_lines(lines, limit)
    return [f"{header}\n{part}" for part in group_lines(rows, limit - len(header) - 1)]


def cut_quote(text: str, limit: int) -> list[str]:
    """Cut a quote between lines; a code fence inside is closed and opened again."""
    lines = [part for line in text.split("\n") for part in _quote_lines(line, limit)]
    pieces: list[str] = []
    reopen = ""
    for piece in group_lines(lines, limit):
        opening, closing = _open_fence(piece, reopen)
        pieces.append("\n".join(part for part in (reopen, piece, closing) if part))
        reopen = opening
    return pieces


def group_lines(lines: list[str], room: int) -> list[str]:
    """Join lines to pieces of at most `room` characters; a longer line is cut between graphemes."""
    pieces: list[str] = []
    current: list[str] = []
    size = 0
    for line in lines:
        if current and size + 1 + len(line) > room:
            pieces.append("\n".join(current))
            current, size = [], 0
        if len(line) > room:
            *full, line = slices(line, room)
            pieces.extend(full)
        size += len(line) + (1 if current else 0)
        current.append(line)
    if current:
        pieces.append("\n".join(current))
    return [piece for piece in pieces if piece.strip()]


def _quote_lines(line: str, limit: int) -> list[str]:
    """Cut a quoted line that is too long into several quoted lines."""
    if len(line) <= limit:
        return [line]
    match = _QUOTE_PREFIX.match(line)
    prefix = match[0] if match and len(match[0]) <= min(_MAX_REPEATED, limit // 2) else ""
    return [prefix + part for _, part in split_prose(line[len(prefix) :], max(limit - len(prefix), 1))]


def _open_fence(piece: str, reopened: str) -> tuple[str, str]:
    """Return the line that opened the fence still open at the end of `piece`, and its closing line; else "", ""."""
    opening, fence = reopened, opening_fence(_bare(reopened))
    for line in piece.split("\n"):
        bare = _bare(line)
        if fence is not None:
            fence = None if fence.closed_by(bare) else fence
        elif (fence := opening_fence(bare)) is not None:
            opening = line if len(bare) <= 2 * _MAX_REPEATED else _prefix(line) + fence.mark
    if fence is None or len(fence.mark) > _MAX_REPEATED or len(_prefix(opening)) > _MAX_REPEATED:
        return "", ""
    return opening, _prefix(opening) + _closing(fence)


def _closing(fence: Fence) -> str:
    return " " * min(fence.indent, _MAX_REPEATED) + fence.mark


def _prefix(line: str) -> str:
    match = _QUOTE_PREFIX.match(line)
    return match[0] if match else ""


def _bare(line: str) -> str:
    return line[len(_prefix(line)) :]
