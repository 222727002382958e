"""A source file as chunks: cut at its definitions where a grammar knows them, else at blank lines."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from searchsocket.code.cut import CodePiece, is_short, merged, pieces_of
from searchsocket.code.definitions.find import Finder
from searchsocket.code.definitions.grammars import parser_of
from searchsocket.code.definitions.model import Definition, Symbol
from searchsocket.code.definitions.rules import RULES
from searchsocket.code.definitions.underlined import underlined_sections
from searchsocket.code.regions import MIXED, Region, regions_of
from searchsocket.code.split import MAX_LINE_CHARS, split_lines
from searchsocket.types import Chunk, Code, Lines

CODE_CHUNKER_VERSION = "7"
_LARGE = 40  # lines from which a function is looked into
_MAX_WORD_CHARS = 100


def chunk_source(path: str, text: str, language: str) -> list[Chunk]:
    """Cut a source file into chunks; every line that is not blank is in one at least.

    Args:
        path: Of the file, which names a component.
        text: With LF as line ends.
        language: As `language_of` has it.

    Returns:
        Chunks in the order of their lines, `ordinal` 0..n-1; none of a blank file.
    """
    lines = text.split("\n")
    chunks: list[Chunk] = []
    for piece_language, piece in _pieces(path, text, lines, language):
        for chunk in _chunks(lines, piece, piece_language):
            chunks.append(replace(chunk, ordinal=len(chunks)))
    return chunks


def blank_line_chunks(text: str, language: str) -> list[Chunk]:
    """Cut a source file at blank lines alone, as where there is no grammar of its language."""
    lines = text.split("\n")
    chunks = [chunk for piece in pieces_of(lines, ()) for chunk in _chunks(lines, piece, language)]
    return [replace(chunk, ordinal=ordinal) for ordinal, chunk in enumerate(chunks)]


def _pieces(path: str, text: str, lines: Sequence[str], language: str) -> list[tuple[str, CodePiece]]:
    if max(map(len, lines)) > MAX_LINE_CHARS or (parser := parser_of(language)) is None:
        sections = underlined_sections(lines) if language == "text" else ()
        return [(language, piece) for piece in pieces_of(lines, sections)]
    source = text.encode("utf-8", "replace")
    root = parser.parse(source).root_node
    own = Finder(language, source, _LARGE).definitions(root) if language in RULES else ()
    if language not in MIXED:
        return [(language, piece) for piece in pieces_of(lines, own)]
    return _mixed(path, lines, language, own, list(regions_of(root)))


def _mixed(
    path: str, lines: Sequence[str], language: str, own: Sequence[Definition], regions: Sequence[Region]
) -> list[tuple[str, CodePiece]]:
    """The parts of a component, each by its own language and with the lines of the whole file."""
    pieces: list[tuple[str, CodePiece]] = []
    start = 1
    for region in regions:
        if region.first < start:  # on a line with the one before it
            continue
        pieces += _between(lines, start, region.first - 1, own, language)
        inner = _shifted(_of_region(region), region.start_row)
        pieces += _between(lines, region.first, region.last, inner, region.language)
        start = region.last + 1
    pieces += _between(lines, start, len(lines), own, language)
    return _with_component(path, language, _without_crumbs(lines, pieces))


def _without_crumbs(lines: Sequence[str], pieces: Sequence[tuple[str, CodePiece]]) -> list[tuple[str, CodePiece]]:
    """A script, style or markup of a few characters is a part of what stands beside it, in the language of that."""
    joined: list[tuple[str, CodePiece]] = []
    for language, piece in pieces:
        if joined and is_short(lines, joined[-1][1]):
            joined[-1] = language, merged(joined[-1][1], piece)
        elif joined and is_short(lines, piece):
            joined[-1] = joined[-1][0], merged(joined[-1][1], piece)
        else:
            joined.append((language, piece))
    return joined


def _of_region(region: Region) -> Sequence[Definition]:
    parser = parser_of(region.language)
    if parser is None or region.language not in RULES:
        return ()
    return Finder(region.language, region.source, _LARGE).definitions(parser.parse(region.source).root_node)


def _between(
    lines: Sequence[str], first: int, last: int, definitions: Sequence[Definition], language: str
) -> list[tuple[str, CodePiece]]:
    inside = [each for each in definitions if each.first >= first and each.last <= last]
    pieces = pieces_of(lines[first - 1 : last], _shifted(inside, 1 - first))
    return [(language, _moved(piece, first - 1)) for piece in pieces]


def _with_component(path: str, language: str, pieces: list[tuple[str, CodePiece]]) -> list[tuple[str, CodePiece]]:
    """The pieces, with the name of the component that the file is."""
    name = PurePosixPath(path).stem
    if language == "html" or not name[:1].isalpha() or not pieces:
        return pieces
    at = next((i for i, (each, _) in enumerate(pieces) if each == language), 0)
    piece = pieces[at][1]
    symbol = Symbol(name, (), "component", piece.first, True)
    named = replace(piece, owner=piece.owner or symbol, defines=(symbol, *piece.defines))
    return [*pieces[:at], (pieces[at][0], named), *pieces[at + 1 :]]


def _shifted(definitions: Sequence[Definition], by: int) -> list[Definition]:
    return [
        replace(
            each,
            first=each.first + by,
            last=each.last + by,
            symbols=_symbols_shifted(each.symbols, by),
            members=tuple(_shifted(each.members, by)),
        )
        for each in definitions
    ]


def _moved(piece: CodePiece, by: int) -> CodePiece:
    owner = replace(piece.owner, line=piece.owner.line + by) if piece.owner else None
    return replace(
        piece, first=piece.first + by, last=piece.last + by, owner=owner, defines=_symbols_shifted(piece.defines, by)
    )


def _symbols_shifted(symbols: Sequence[Symbol], by: int) -> tuple[Symbol, ...]:
    return tuple(replace(symbol, line=symbol.line + by) for symbol in symbols)


def _chunks(lines: Sequence[str], piece: CodePiece, language: str) -> list[Chunk]:
    """One piece as chunks; only the first of several says what the definition is."""
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
        chunks += [Chunk(0, kind, Code(each, language), at) for each in _bounded(text)]  # type: ignore[arg-type]
    return chunks


def _bounded(text: str) -> list[str]:
    """A text of which no line is endless; else several of the same lines."""
    if len(text) <= 8 * MAX_LINE_CHARS:
        return [text]
    step = MAX_LINE_CHARS - _MAX_WORD_CHARS  # a word at a cut is whole in one of the two
    return [text[start : start + MAX_LINE_CHARS] for start in range(0, len(text), step)]
