"""Blocks as atoms: the parts of a page between which a chunk may end. Each piece of a block is valid Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from searchsocket.content.chunking.sentences import slices, split_prose
from searchsocket.content.markdown.blocks import Block, Fence, item_content, opening_fence, parse_blocks
from searchsocket.project.settings.site import ChunkSettings

_MAX_NESTING = 5  # of lists inside lists; deeper lists are cut as prose
_Lines = tuple[int, int]  # first and last
# A fence, info string or quote prefix longer than this is not repeated: it would crowd out the text.
_MAX_REPEATED = 40
_QUOTE_PREFIX = re.compile(r"(?: {0,3}> ?)+")


@dataclass(frozen=True, slots=True)
class Atom:
    """A part of a page that stays in one piece."""

    text: str
    glue: str  # separator after the atom before, in the same piece
    prose: bool = False  # its sentences may be repeated as overlap
    head: str = ""  # headings directly above it: a piece must not end with a heading
    lines: _Lines = (0, 0)  # of the page, headings included; the whole block's if the text is not a literal part of it

    @property
    def full(self) -> str:
        return f"{self.head}\n\n{self.text}" if self.head else self.text

    @property
    def size(self) -> int:
        return len(self.text) + (len(self.head) + 2 if self.head else 0)


def atoms_of(blocks: Sequence[Block], settings: ChunkSettings) -> tuple[list[Atom], list[str]]:
    """Split blocks as far as the size limits require.

    Returns:
        The atoms, each at most `max_chars` long (`hard_max_chars` for kinds in `dont_split_inside`), and one
        warning for each block of these kinds that had to be split.
    """
    warnings: list[str] = []
    atoms: list[Atom] = []
    head, at = "", (0, 0)
    for block in blocks:
        if block.kind == "heading" and len(block.text) <= settings.max_chars // 2:
            if len(head) + len(block.text) > settings.max_chars // 2:
                atoms.append(Atom(head, "\n\n", lines=at))
                head = ""
            at = (at[0], block.lines[1]) if head else block.lines
            head = f"{head}\n\n{block.text}" if head else block.text
            continue
        for atom in _take_apart(block, settings, warnings, _MAX_NESTING, len(head) + 2 if head else 0):
            atoms.extend(_below(Atom(head, "\n\n", lines=at), atom, settings))
            head = ""
    if head:
        atoms.append(Atom(head, "\n\n", lines=at))
    return atoms, warnings


def _below(headings: Atom, atom: Atom, settings: ChunkSettings) -> list[Atom]:
    """An atom with the headings above it, together unless the hard limit forbids it."""
    head = headings.text
    if not head:
        return [atom]
    if len(head) + 2 + atom.size <= settings.hard_max_chars:
        lines = (headings.lines[0], atom.lines[1])
        return [replace(atom, head=head if not atom.head else f"{head}\n\n{atom.head}", glue="\n\n", lines=lines)]
    return [headings, atom]


def _take_apart(
    block: Block, settings: ChunkSettings, warnings: list[str], nesting: int, above: int = 0
) -> Iterator[Atom]:
    """Yield the atoms of one block; `above` is the number of characters that its headings take."""
    is_whole = block.kind in settings.dont_split_inside
    limit = settings.hard_max_chars if is_whole else settings.max_chars
    if not is_whole:
        limit = max(limit - above, limit // 2, 1)
    if len(block.text) <= limit:
        yield Atom(block.text, "\n\n", prose=block.kind == "paragraph", lines=block.lines)
    elif (cut := _CUTTERS.get(block.kind)) is not None:
        pieces = cut(block.text, max(limit - above, limit // 2) if is_whole else limit)
        if is_whole:
            name = "code block" if block.kind == "code" else block.kind
            warnings.append(
                f"a {name} is longer than {limit:,} characters (chunking.hard_max_chars) and was split: "
                f"{len(block.text):,} characters, {len(pieces)} pieces"
            )
        yield from (Atom(piece, "\n\n", lines=block.lines) for piece in pieces)
    elif block.kind == "list" and nesting:
        for index, (item, lines) in enumerate(zip(block.items, _lines_of(block, block.items), strict=True)):
            atoms = [Atom(item, "\n")] if len(item) <= limit else _item_atoms(item, settings, warnings, nesting)
            for position, atom in enumerate(atoms):
                yield replace(atom, glue=atom.glue if index or position else "\n\n", lines=lines)
    else:
        yield from _prose_atoms(block, limit)


def _prose_atoms(block: Block, limit: int) -> Iterator[Atom]:
    parts = split_prose(block.text, limit)
    lines = _lines_of(block, [part for _, part in parts])
    for index, ((glue, part), own) in enumerate(zip(parts, lines, strict=True)):
        if part.strip():
            yield Atom(part, glue if index else "\n\n", prose=True, lines=own)


def _lines_of(block: Block, parts: Sequence[str]) -> Iterator[_Lines]:
    """The lines of consecutive parts of a block; all of the block's lines for a part that is not in its text."""
    line, at = block.lines[0], 0
    for part in parts:
        start = block.text.find(part, at)
        if start < 0:
            yield block.lines
            continue
        line += block.text.count("\n", at, start)
        first, at = line, start + len(part)
        line += part.count("\n")
        yield first, line


def _item_atoms(item: str, settings: ChunkSettings, warnings: list[str], nesting: int) -> Iterator[Atom]:
    """A list item that is too long, as the blocks in it; its marker stays with the first."""
    first, *following = item.split("\n")
    column = item_content(first) or 0
    marker = first[:column].strip()
    lines = [first[column:], *(line[min(column, len(line) - len(line.lstrip(" "))) :] for line in following)]
    blocks = parse_blocks("\n".join(lines))
    for index, block in enumerate(blocks):
        for at, atom in enumerate(_take_apart(block, settings, warnings, nesting - 1)):
            if index or at:
                yield atom
            elif block.kind == "paragraph" and atom.size + len(marker) < settings.max_chars:
                yield replace(atom, text=f"{marker} {atom.text}", glue="\n")
            else:
                yield replace(atom, head=marker, glue="\n")


def cut_code(text: str, limit: int) -> list[str]:
    """Cut a code block between lines; the fence is closed and opened again with its info string."""
    lines = text.split("\n")
    fence = opening_fence(lines[0])
    if fence is None or len(fence.mark) > _MAX_REPEATED or fence.indent > _MAX_REPEATED:
        return _group_lines(lines, limit)
    opening, content, closing = lines[0], lines[1:-1], " " * fence.indent + fence.mark
    if len(opening) - len(closing) > _MAX_REPEATED:
        # No info string is this long: keep its words in the code.
        content = [opening[len(closing) :].strip(), *content]
        opening = closing
    room = max(limit - len(opening) - len(closing) - 2, limit // 2, 1)
    return ["\n".join((opening, part, closing)) for part in _group_lines(content, room)]


def cut_table(text: str, limit: int) -> list[str]:
    """Cut a table between rows; each piece starts with the header."""
    lines = text.split("\n")
    header, rows = "\n".join(lines[:2]), lines[2:]
    if len(header) > limit // 2 or not rows:
        return _group_lines(lines, limit)
    return [f"{header}\n{part}" for part in _group_lines(rows, limit - len(header) - 1)]


def cut_quote(text: str, limit: int) -> list[str]:
    """Cut a quote between lines; a code fence inside is closed and opened again."""
    lines = [part for line in text.split("\n") for part in _quote_lines(line, limit)]
    pieces: list[str] = []
    reopen = ""
    for piece in _group_lines(lines, limit):
        opening, closing = _open_fence(piece, reopen)
        pieces.append("\n".join(part for part in (reopen, piece, closing) if part))
        reopen = opening
    return pieces


_CUTTERS = {"code": cut_code, "table": cut_table, "blockquote": cut_quote}


def _group_lines(lines: list[str], room: int) -> list[str]:
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
