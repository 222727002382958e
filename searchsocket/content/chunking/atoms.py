"""Blocks as atoms, between which a chunk may end; prose ends at sentences. Each piece of a block is valid Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from searchsocket.content.markdown.blocks import Block, Fence, item_content, opening_fence, parse_blocks
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.text.graphemes import safe_cut

Part = tuple[str, str]  # (separator after the part before, the part)

_BORDER = re.compile(r"\s+|(?<=[。！？])(?![。！？\s”’」』）)])")
_CLOSERS = "\"'”’»)]*_`"
# Links and images stay whole; the bounds keep a failed attempt short.
_LINK = re.compile(r'!?\[[^\[\]\n]{0,300}\]\([^()\s]{0,1000}(?: "[^"\n]{0,300}")?\)')
_TICKS = re.compile("`+")

_MAX_NESTING = 5  # of lists inside lists; deeper lists are cut as prose
_Lines = tuple[int, int]  # first and last
# A fence, info string or quote prefix longer than this is not repeated: it would crowd out the text.
_MAX_REPEATED = 40
_QUOTE_PREFIX = re.compile(r"(?: {0,3}> ?)+")


def split_sentences(text: str) -> list[Part]:
    """Cut prose into sentences. Joining all parts gives the text, with each run of blanks as one character."""
    return _cut(text, [border for border in _borders(text) if border[2]])


def split_prose(text: str, limit: int) -> list[Part]:
    """Cut prose into parts of at most `limit` characters: sentences, then runs of words, then graphemes."""
    parts: list[Part] = []
    for glue, sentence in split_sentences(text):
        if len(sentence) <= limit:
            parts.append((glue, sentence))
        else:
            parts.extend(_split_sentence(glue, sentence, limit))
    return parts


def slices(text: str, limit: int) -> list[str]:
    """Cut text into pieces of at most `limit` characters that join to exactly the text, never inside a grapheme."""
    pieces: list[str] = []
    at = 0
    while len(text) - at > limit:
        end = safe_cut(text, at + limit, at)
        pieces.append(text[at:end])
        at = end
    pieces.append(text[at:])
    return pieces


def _split_sentence(glue: str, sentence: str, limit: int) -> Iterator[Part]:
    current, before = "", glue
    for word_glue, word in _cut(sentence, list(_borders(sentence))):
        if current and len(current) + len(word_glue) + len(word) <= limit:
            current += word_glue + word
            continue
        if current:
            yield before, current
            before = word_glue
        *full, current = slices(word, limit)
        for piece in full:
            yield before, piece
            before = ""
    yield before, current


def _cut(text: str, borders: list[tuple[int, int, bool]]) -> list[Part]:
    parts: list[Part] = []
    at, glue = 0, ""
    for end, start, _ in borders:
        parts.append((glue, text[at:end]))
        glue = "\n" if "\n" in text[end:start] else text[end:start][:1]
        at = start
    parts.append((glue, text[at:]))
    return parts


def _borders(text: str) -> Iterator[tuple[int, int, bool]]:
    """(end of the left part, start of the right one, between sentences?), outside links and code spans."""
    spans = _whole_spans(text)
    span = next(spans, None)
    for match in _BORDER.finditer(text):
        start, end = match.span()
        while span is not None and span[1] <= start:
            span = next(spans, None)
        if start == 0 or end == len(text) or (span is not None and span[0] < end):
            continue
        yield start, end, start == end or _ends_sentence(text, start, end)


def _ends_sentence(text: str, start: int, end: int) -> bool:
    last = start - 1
    while last > 0 and start - last < 8 and text[last] in _CLOSERS:
        last -= 1
    # A small letter after the dot means an abbreviation: `e.g. this`.
    return text[last] in ".!?…。！？" and not text[end].islower()


def _whole_spans(text: str) -> Iterator[tuple[int, int]]:
    """Code spans and links, in rising order."""
    spans = [match.span() for match in _LINK.finditer(text)] if "](" in text else []
    if "`" in text:
        spans.extend(_code_spans(text))
    yield from sorted(spans)


def _code_spans(text: str) -> list[tuple[int, int]]:
    runs = [match.span() for match in _TICKS.finditer(text)]
    following: dict[int, int] = {}  # length -> nearest later run of that length
    partner: list[int | None] = []
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partner.append(following.get(length))
        following[length] = index
    partner.reverse()
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        closing = partner[index]
        if closing is not None:
            spans.append((runs[index][0], runs[closing][1]))
        index = index + 1 if closing is None else closing + 1
    return spans


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
