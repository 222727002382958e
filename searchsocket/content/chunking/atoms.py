"""Blocks as atoms: the parts of a page between which a chunk may end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from searchsocket.content.chunking.cut import cut_code, cut_quote, cut_table
from searchsocket.content.chunking.sentences import split_prose
from searchsocket.content.markdown.blocks import Block, item_content, parse_blocks
from searchsocket.project.settings.site import ChunkSettings

_MAX_NESTING = 5  # of lists inside lists; deeper lists are cut as prose
_Lines = tuple[int, int]  # first and last
_CUTTERS = {"code": cut_code, "table": cut_table, "blockquote": cut_quote}


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
