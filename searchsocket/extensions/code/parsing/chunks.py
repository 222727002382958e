"""Split a source file into chunks: at definitions if there is a grammar, otherwise at blank lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from searchsocket.extensions.code.parsing.definitions.by_line import definitions_by_line
from searchsocket.extensions.code.parsing.definitions.find import Finder
from searchsocket.extensions.code.parsing.definitions.grammars import ParseLimits, parse
from searchsocket.extensions.code.parsing.definitions.model import Definition, Symbol
from searchsocket.extensions.code.parsing.definitions.rules import RULES
from searchsocket.extensions.code.parsing.languages import MIXED, Region, regions_of
from searchsocket.extensions.code.parsing.split import (
    MAX_LINE_CHARS,
    CodePiece,
    is_short,
    merged,
    pieces_of,
    split_lines,
)
from searchsocket.types import Chunk, Code, Lines

CODE_CHUNKER_VERSION = "13"
_MAX_WORD_CHARS = 100
_CLOSING_TAG = re.compile(r"</(?:script|style)\s*>", re.IGNORECASE)
_TITLE_RULE = re.compile(r"([=\-~^\"'`*+#.:_])\1{2,}\s*$")
_MAX_TITLE_CHARS = 200
_MAX_SECTION_DEPTH = 8  # of nested sections; deeper ones become siblings


def chunk_source(path: str, text: str, language: str, *, is_guarded: bool = False) -> list[Chunk]:
    """Split a source file into chunks; every line that is not blank is in at least one.

    A closing tag of a script at the end of a component is in none.

    Args:
        path: Path of the file; its name is the name of a component.
        text: Text with LF line ends.
        language: Name from `language_of`.
        is_guarded: Raise an error before parsing takes too much memory. False saves time in a process that a limit on
            memory may end.

    Returns:
        Chunks in the order of their lines, `ordinal` 0..n-1; empty for a blank file.

    Raises:
        ParserTooCostly: The file is guarded, and may take too much work or memory.
    """
    lines = text.split("\n")
    chunks: list[Chunk] = []
    for piece_language, piece in _pieces(path, text, lines, language, ParseLimits.start(is_guarded=is_guarded)):
        for chunk in _chunks(lines, piece, piece_language):
            chunks.append(replace(chunk, ordinal=len(chunks)))
    return chunks


def blank_line_chunks(text: str, language: str) -> list[Chunk]:
    """Split a source file only at blank lines, as without a grammar."""
    lines = text.split("\n")
    chunks = [chunk for piece in pieces_of(lines, ()) for chunk in _chunks(lines, piece, language)]
    return [replace(chunk, ordinal=ordinal) for ordinal, chunk in enumerate(chunks)]


def _pieces(
    path: str, text: str, lines: Sequence[str], language: str, limits: ParseLimits
) -> list[tuple[str, CodePiece]]:
    source = text.encode("utf-8", "replace")
    readable = _without_long_lines(lines, source)
    tree = parse(language, readable, limits) if readable is not None else None
    if tree is None:
        sections = underlined_sections(lines) if language == "text" else definitions_by_line(lines, language)
        return [(language, piece) for piece in pieces_of(lines, sections)]
    root = tree.root_node
    own = Finder(language, source, root).definitions() if language in RULES else ()
    if language not in MIXED:
        return [(language, piece) for piece in pieces_of(lines, own)]
    return _mixed_pieces(path, lines, language, own, list(regions_of(root)), limits)


def _without_long_lines(lines: Sequence[str], source: bytes) -> bytes | None:
    """Blank lines that nobody wrote by hand, such as data; None for a file that has little else."""
    long_lines = [len(line) for line in lines if len(line) > MAX_LINE_CHARS]
    if not long_lines:
        return source
    if 2 * sum(long_lines) > sum(map(len, lines)):
        return None
    pairs = zip(lines, source.split(b"\n"), strict=True)
    return b"\n".join(b" " * len(raw) if len(line) > MAX_LINE_CHARS else raw for line, raw in pairs)


def _mixed_pieces(
    path: str,
    lines: Sequence[str],
    language: str,
    own: Sequence[Definition],
    regions: Sequence[Region],
    limits: ParseLimits,
) -> list[tuple[str, CodePiece]]:
    """Split a component into parts, each by its own language; line numbers are those of the file."""
    pieces: list[tuple[str, CodePiece]] = []
    start = 1
    for region in regions:
        if region.first < start:  # on the same line as the region before
            continue
        first = region.first
        if _is_closing_tag(lines, start, region.first - 1):
            first = start  # it is no chunk by itself
        else:
            pieces += _pieces_between(lines, start, region.first - 1, own, language)
        inner = _shift(_of_region(region, limits), region.start_row)
        # A function of the region ends at its own last line, so the closing tag belongs to what follows.
        last = region.last - _is_closing_tag(lines, region.last, region.last)
        pieces += _pieces_between(lines, first, last, inner, region.language)
        start = last + 1
    if not _is_closing_tag(lines, start, len(lines)):
        pieces += _pieces_between(lines, start, len(lines), own, language)
    return _with_component(path, lines, language, _without_crumbs(lines, pieces))


def _is_closing_tag(lines: Sequence[str], first: int, last: int) -> bool:
    """Return True if lines contain only the tag that closes a script or a style."""
    return (
        _CLOSING_TAG.fullmatch("".join(line.strip() for line in lines[first - 1 : last])[:_MAX_WORD_CHARS]) is not None
    )


def _without_crumbs(lines: Sequence[str], pieces: Sequence[tuple[str, CodePiece]]) -> list[tuple[str, CodePiece]]:
    """Join a script, style or markup of a few characters to its neighbour, and use the neighbour's language."""
    joined: list[tuple[str, CodePiece]] = []
    for language, piece in pieces:
        if joined and is_short(lines, joined[-1][1]):
            joined[-1] = language, merged(joined[-1][1], piece)
        elif joined and is_short(lines, piece):
            joined[-1] = joined[-1][0], merged(joined[-1][1], piece)
        else:
            joined.append((language, piece))
    return joined


def _of_region(region: Region, limits: ParseLimits) -> Sequence[Definition]:
    tree = parse(region.language, region.source, limits) if region.language in RULES else None
    return Finder(region.language, region.source, tree.root_node).definitions() if tree else ()


def _pieces_between(
    lines: Sequence[str], first: int, last: int, definitions: Sequence[Definition], language: str
) -> list[tuple[str, CodePiece]]:
    inside = [definition for definition in definitions if definition.first >= first and definition.last <= last]
    pieces = pieces_of(lines[first - 1 : last], _shift(inside, 1 - first))
    return [(language, _move(piece, first - 1)) for piece in pieces]


def _with_component(
    path: str, lines: Sequence[str], language: str, pieces: list[tuple[str, CodePiece]]
) -> list[tuple[str, CodePiece]]:
    """Add the symbol of the component that the file defines."""
    name = PurePosixPath(path).stem
    if language == "html" or not name[:1].isalpha() or not pieces:
        return pieces
    at = next((i for i, (piece_language, _) in enumerate(pieces) if piece_language == language), 0)
    piece = pieces[at][1]
    line = piece.first
    while line < piece.last and not _CLOSING_TAG.sub("", lines[line - 1]).strip():
        line += 1
    symbol = Symbol(name, (), "component", line, True)
    with_symbol = replace(piece, owner=piece.owner or symbol, defines=(symbol, *piece.defines))
    return [*pieces[:at], (pieces[at][0], with_symbol), *pieces[at + 1 :]]


def _shift(definitions: Sequence[Definition], by: int) -> list[Definition]:
    return [
        replace(
            definition,
            first=definition.first + by,
            last=definition.last + by,
            symbols=_shift_symbols(definition.symbols, by),
            members=tuple(_shift(definition.members, by)),
        )
        for definition in definitions
    ]


def _move(piece: CodePiece, by: int) -> CodePiece:
    owner = replace(piece.owner, line=piece.owner.line + by) if piece.owner else None
    return replace(
        piece, first=piece.first + by, last=piece.last + by, owner=owner, defines=_shift_symbols(piece.defines, by)
    )


def _shift_symbols(symbols: Sequence[Symbol], by: int) -> tuple[Symbol, ...]:
    return tuple(replace(symbol, line=symbol.line + by) for symbol in symbols)


def _chunks(lines: Sequence[str], piece: CodePiece, language: str) -> list[Chunk]:
    """Make chunks of one piece; only the first of several has the signature and comment of the definition."""
    chunks = []
    for part in split_lines(lines[piece.first - 1 : piece.last]):
        first, last = piece.first + part.first, piece.first + part.last
        text = "\n".join(lines[first - 1 : last])
        defines = [symbol for symbol in piece.defines if piece.first + part.new <= symbol.line <= last]
        is_start = part.new == 0
        at = Lines(
            symbol=piece.owner.qualified if piece.owner else "",
            first=first,
            last=last,
            heading_path=tuple(symbol.qualified for symbol in defines),
            parents=piece.owner.parents if piece.owner else (),
            signature=piece.signature if is_start else "",
            doc=piece.doc if is_start else "",
            exported=int(bool(piece.owner and piece.owner.exported)),
            defines=tuple(f"{symbol.line}:{symbol.kind}:{symbol.qualified}" for symbol in defines),
        )
        kind = piece.owner.kind if piece.owner and piece.whole else "block"
        chunks += [Chunk(0, kind, Code(part_text, language), at) for part_text in _bound(text)]  # type: ignore[arg-type]
    return chunks


def _bound(text: str) -> list[str]:
    """Split a text with extremely long lines into parts that each keep the same line numbers."""
    if len(text) <= 8 * MAX_LINE_CHARS:
        return [text]
    step = MAX_LINE_CHARS - _MAX_WORD_CHARS  # so that a word at a cut is complete in one part
    return [text[start : start + MAX_LINE_CHARS] for start in range(0, len(text), step)]


class _Title(NamedTuple):
    first: int  # first line, from 1; that of the rule above the title, if there is one
    line: int
    text: str
    depth: int


def underlined_sections(lines: Sequence[str]) -> tuple[Definition, ...]:
    """The top sections with their subsections; the first title style is the outermost, as in docutils."""
    titles = list(_titles(lines))
    return tuple(_sections(titles, len(lines), ()))


def _titles(lines: Sequence[str]) -> Iterator[_Title]:
    styles: dict[tuple[str, bool], int] = {}
    for at in range(len(lines) - 1):
        text = lines[at].strip()
        rule = _TITLE_RULE.match(lines[at + 1])
        if not text or rule is None or len(lines[at + 1].rstrip()) < len(text) or _TITLE_RULE.match(lines[at]):
            continue
        above = lines[at - 1].rstrip() if at else ""
        is_between = bool(above) and above == lines[at + 1].rstrip()
        if is_between or (not above and not lines[at][0].isspace()):
            depth = styles.setdefault((rule[1], is_between), min(len(styles), _MAX_SECTION_DEPTH - 1))
            yield _Title(at if is_between else at + 1, at + 1, text[:_MAX_TITLE_CHARS], depth)


def _sections(titles: Sequence[_Title], last: int, parents: tuple[str, ...]) -> Iterator[Definition]:
    at = 0
    while at < len(titles):
        title = titles[at]
        end = next((n for n in range(at + 1, len(titles)) if titles[n].depth <= title.depth), len(titles))
        until = titles[end].first - 1 if end < len(titles) else last
        members = tuple(_sections(titles[at + 1 : end], until, (*parents, title.text)))
        symbol = Symbol(title.text, parents, "heading", title.line, exported=False)
        yield Definition((symbol,), title.first, until, title.text, members=members)
        at = end
