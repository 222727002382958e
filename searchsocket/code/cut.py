"""Lines and definitions into pieces: each substantial definition by itself, and what stands between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from searchsocket.code.definitions.model import Definition, Symbol
from searchsocket.code.split import MAX_TOKENS, MIN_CHARS, closes, written_chars
from searchsocket.code.tokens import tokens_of_lines

SMALL_TOKENS = 160  # what is shorter is not cut at its members
# Short ones of these say more beside their neighbours than alone.
_MIN_CHARS_OF = {"constant": 200, "variable": 200, "field": 200, "property": 200, "key": 400, "rule": 400,
                 "element": 400, "macro": 200, "type": 120, "table": 200}  # fmt: skip
_CUT_AT_MEMBERS = frozenset({"class", "struct", "interface", "impl", "module", "heading", "enum"})


@dataclass(frozen=True, slots=True)
class CodePiece:
    """Some lines that belong together."""

    first: int  # from 1
    last: int  # included
    owner: Symbol | None  # what the lines are, or are of
    defines: tuple[Symbol, ...] = ()  # in them
    signature: str = ""
    doc: str = ""
    whole: bool = True  # a definition is in it whole; False: lines between others


def pieces_of(lines: Sequence[str], definitions: Sequence[Definition]) -> list[CodePiece]:
    """Every line that is not blank in exactly one piece, in order."""
    return _joined(lines, list(_level(lines, 1, len(lines), definitions, None)))


def _level(
    lines: Sequence[str], first: int, last: int, definitions: Sequence[Definition], owner: Symbol | None
) -> Iterator[CodePiece]:
    """The pieces of some lines: definitions, and the runs of lines between them with what is too short in them."""
    start, small = first, []  # the run so far
    for each in _with_overloads(definitions):
        if not _is_substantial(lines, each):
            small.append(each)
            continue
        yield from _run(lines, start, each.first - 1, small, owner)
        yield from _pieces(lines, each)
        start, small = each.last + 1, []
    yield from _run(lines, start, last, small, owner)


def _with_overloads(definitions: Sequence[Definition]) -> list[Definition]:
    """Definitions, each with the overloads that stand above it: alone they say little, and all of them the same."""
    joined: list[Definition] = []
    for each in definitions:
        above = joined[-1] if joined else None
        if above and above.is_stub and above.main.qualified == each.main.qualified:
            joined[-1] = replace(each, first=above.first, doc=each.doc or above.doc)
        else:
            joined.append(each)
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
    symbols = tuple(symbol for each in small for symbol in all_symbols(each))
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
    """One definition: whole, or cut at its members."""
    main = definition.main
    most = SMALL_TOKENS if main.kind in _CUT_AT_MEMBERS else MAX_TOKENS
    if definition.members and _tokens(lines, definition) > most:
        pieces = list(_level(lines, definition.first, definition.last, definition.members, main))
        head = pieces[0]
        if head.owner == main:  # where the definition itself stands
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


def _joined(lines: Sequence[str], pieces: Sequence[CodePiece]) -> list[CodePiece]:
    """Pieces with what is too short to be one joined to the next one, or to the one before that it closes."""
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
    """Two neighbours as one, which is called as the one that is a definition, or the longer one."""
    named = max((second, first), key=lambda each: (each.whole, each.owner is not None, each.last - each.first))
    return replace(named, first=first.first, last=second.last, defines=(*first.defines, *second.defines))
