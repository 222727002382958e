"""Split lines into pieces: each substantial definition, and the lines between definitions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from searchsocket.code.definitions.model import Definition, Symbol
from searchsocket.code.split import MAX_TOKENS, MIN_CHARS, closes, tokens_of_lines, written_chars

SMALL_TOKENS = 160  # a shorter definition is not split at its members
# Short definitions of these kinds are joined to their neighbours; limits in characters.
_MIN_CHARS_OF = {"constant": 200, "variable": 200, "field": 200, "property": 200, "key": 400, "rule": 400,
                 "element": 400, "macro": 200, "type": 120, "table": 200}  # fmt: skip
_CUT_AT_MEMBERS = frozenset({"class", "struct", "interface", "impl", "module", "heading", "enum"})


@dataclass(frozen=True, slots=True)
class CodePiece:
    """Consecutive lines that belong together."""

    first: int  # from 1
    last: int  # inclusive
    owner: Symbol | None  # the definition that the lines are, or are part of
    defines: tuple[Symbol, ...] = ()  # definitions in the lines
    signature: str = ""
    doc: str = ""
    whole: bool = True  # contains a complete definition; False: lines between definitions


def pieces_of(lines: Sequence[str], definitions: Sequence[Definition]) -> list[CodePiece]:
    """Put every line that is not blank into exactly one piece, in order."""
    return _join_short(lines, list(_level(lines, 1, len(lines), definitions, None)))


def _level(
    lines: Sequence[str], first: int, last: int, definitions: Sequence[Definition], owner: Symbol | None
) -> Iterator[CodePiece]:
    """Yield the pieces of some lines: definitions, and the lines between them with short definitions."""
    start, small = first, []  # short definitions of the current run
    for definition in _with_overloads(definitions):
        if not _is_substantial(lines, definition):
            small.append(definition)
            continue
        yield from _run(lines, start, definition.first - 1, small, owner)
        yield from _pieces(lines, definition)
        start, small = definition.last + 1, []
    yield from _run(lines, start, last, small, owner)


def _with_overloads(definitions: Sequence[Definition]) -> list[Definition]:
    """Join each definition with the overloads above it, which are short and repeat each other."""
    joined: list[Definition] = []
    for definition in definitions:
        above = joined[-1] if joined else None
        if above and above.is_stub and above.main.qualified == definition.main.qualified:
            joined[-1] = replace(definition, first=above.first, doc=definition.doc or above.doc)
        else:
            joined.append(definition)
    return joined


def _run(
    lines: Sequence[str], first: int, last: int, small: Sequence[Definition], owner: Symbol | None
) -> Iterator[CodePiece]:
    while first <= last and not lines[first - 1].strip():
        first += 1
    while last >= first and not lines[last - 1].strip():
        last -= 1
    if first > last:
        return
    symbols = tuple(symbol for definition in small for symbol in all_symbols(definition))
    alone = small[0] if len(small) == 1 else None
    yield CodePiece(
        first,
        last,
        owner or (symbols[0] if symbols else None),
        symbols,
        alone.signature if alone and not owner else "",
        alone.doc if alone and not owner else "",
        whole=alone is not None and owner is None,
    )


def _pieces(lines: Sequence[str], definition: Definition) -> Iterator[CodePiece]:
    """Yield one definition: whole, or split at its members."""
    main = definition.main
    most = SMALL_TOKENS if main.kind in _CUT_AT_MEMBERS else MAX_TOKENS
    if definition.members and _tokens(lines, definition) > most:
        pieces = list(_level(lines, definition.first, definition.last, definition.members, main))
        head = pieces[0]
        if head.owner == main:  # the lines of the definition itself
            defines = (*definition.symbols, *head.defines)
            pieces[0] = replace(head, defines=defines, signature=definition.signature, doc=definition.doc, whole=True)
            yield from pieces
            return
    yield CodePiece(
        definition.first, definition.last, main, all_symbols(definition), definition.signature, definition.doc
    )


def all_symbols(definition: Definition) -> tuple[Symbol, ...]:
    """A definition's own symbols, then those of its members."""
    return (*definition.symbols, *(symbol for member in definition.members for symbol in all_symbols(member)))


def _is_substantial(lines: Sequence[str], definition: Definition) -> bool:
    text = _text(lines, definition)
    return len(text.strip()) >= _MIN_CHARS_OF.get(definition.main.kind, MIN_CHARS)


def _text(lines: Sequence[str], definition: Definition) -> str:
    return "\n".join(lines[definition.first - 1 : definition.last])


def _tokens(lines: Sequence[str], definition: Definition) -> int:
    return sum(tokens_of_lines(lines[definition.first - 1 : definition.last]))


def _join_short(lines: Sequence[str], pieces: Sequence[CodePiece]) -> list[CodePiece]:
    """Join a piece that is too short to the next one, or to the one before if it closes that."""
    joined: list[CodePiece] = []
    short: CodePiece | None = None
    for piece in pieces:
        if short is not None:
            piece, short = merged(short, piece), None
        if is_short(lines, piece):
            if joined and not piece.defines and closes(lines[piece.first - 1]):
                joined[-1] = merged(joined[-1], piece)
            else:
                short = piece
            continue
        joined.append(piece)
    if short is not None:
        if joined:
            joined[-1] = merged(joined[-1], short)
        else:
            joined.append(short)
    return joined


def is_short(lines: Sequence[str], piece: CodePiece) -> bool:
    """Return True if a piece is too short to be a chunk."""
    return written_chars(lines[piece.first - 1 : piece.last]) < MIN_CHARS


def merged(first: CodePiece, second: CodePiece) -> CodePiece:
    """Join two neighbours; the owner is that of the complete definition, or of the longer piece."""
    main = max((second, first), key=lambda piece: (piece.whole, piece.owner is not None, piece.last - piece.first))
    return replace(main, first=first.first, last=second.last, defines=(*first.defines, *second.defines))
