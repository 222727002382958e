"""Split lines into pieces: each substantial definition, the lines between them, and parts of what is too long."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from searchsocket.extensions.code.parsing.definitions.model import Definition, Symbol

MAX_TOKENS = 512
OVERLAP_TOKENS = 50
MIN_CHARS = 50  # a shorter text is not a chunk
MAX_LINE_CHARS = 2_000  # a longer line is split: it is not written by hand
_SEPARATOR = re.compile(r"\s*(?:#|//|/\*|--|<!--|;+)\s*(?:[-=*#~_/]{4,}|region\b|MARK:)")
_CLOSING = re.compile(r"\s*(?:[\])}]|end\b|fi\b|done\b|else\b|elif\b|except\b|finally\b|catch\b|</)")
_TAB = 4  # columns
# Roughly the pieces of code in subword vocabularies: parts of identifiers, short runs of digits, single signs.
_TOKEN = re.compile(r"[A-Z]?[a-z]{1,8}|[A-Z]{1,4}|[0-9]{1,3}|[^\W_A-Za-z0-9]|[^\w\s]")
_MAX_CACHED_CHARS = 100  # lines repeat, in nested definitions and across files
SMALL_TOKENS = 160  # a shorter definition is not split at its members
# Short definitions of these kinds are joined to their neighbours; limits in characters.
_MIN_CHARS_OF = {"constant": 200, "variable": 200, "field": 200, "property": 200, "key": 400, "rule": 400,
                 "element": 400, "macro": 200, "type": 120, "table": 200}  # fmt: skip
_CUT_AT_MEMBERS = frozenset({"class", "struct", "interface", "impl", "module", "heading", "enum"})


class LineRange(NamedTuple):
    """A range of lines, by index, inclusive."""

    first: int
    last: int
    new: int  # the first line that is not in an earlier part


def split_lines(lines: Sequence[str]) -> list[LineRange]:
    """Split lines into parts of at most `MAX_TOKENS`; a part may exceed it by a remainder below `MIN_CHARS`.

    Each part but the first repeats about `OVERLAP_TOKENS` of the one before it. A part ends at the least indented line
    in its second half; of equal lines, before a separator comment, after a blank line, and as late as possible. A
    line that is longer than a part is a part by itself.
    """
    sizes = list(tokens_of_lines(lines))
    before = [0, *accumulate(sizes)]  # tokens above each line
    parts: list[LineRange] = []
    start = 0  # of the lines that are not in a part yet
    while start < len(lines):
        first = _with_overlap(before, start) if parts else start
        limit = before[first] + MAX_TOKENS
        end = start + 1  # exclusive
        while end < len(lines) and before[end + 1] <= limit:
            end += 1
        if end < len(lines):
            end = _best_end(lines, before, start, end)
        parts.append(LineRange(first, end - 1, start))
        start = end
    return _without_crumbs(lines, parts)


def _without_crumbs(lines: Sequence[str], parts: Sequence[LineRange]) -> list[LineRange]:
    """Join parts that are too short, such as the remainder next to a very long line."""
    joined: list[LineRange] = []
    for part in parts:
        if joined and (_is_crumb(lines, part) or _is_crumb(lines, joined[-1])):
            joined[-1] = joined[-1]._replace(last=part.last)
        else:
            joined.append(part)
    return joined


def _is_crumb(lines: Sequence[str], part: LineRange) -> bool:
    return written_chars(lines[part.first : part.last + 1]) < MIN_CHARS


def written_chars(lines: Sequence[str]) -> int:
    """The number of characters in lines, without indentation."""
    return sum(len(line.strip()) for line in lines)


def _with_overlap(before: Sequence[int], start: int) -> int:
    """The first line of a part, including the overlap with the part before."""
    first = start
    while first > 0 and before[start] - before[first - 1] <= OVERLAP_TOKENS:
        first -= 1
    return first


def _best_end(lines: Sequence[str], before: Sequence[int], start: int, end: int) -> int:
    """The best end of a part (exclusive), in its second half."""
    half = (before[start] + before[end]) / 2
    candidates = [at for at in range(start + 1, end + 1) if before[at] >= half]
    return min(candidates, key=lambda at: (_cost(lines, at), -at), default=end)


def _cost(lines: Sequence[str], at: int) -> tuple[bool, int, int]:
    """The cost of a split before a line: whether it closes a block, its depth, and how well it is separated."""
    line = lines[at]
    if not line.strip():
        return True, 0, 0  # a blank line belongs to the lines above it
    apart = 0 if _SEPARATOR.match(line) else 1 if not lines[at - 1].strip() else 2
    return closes(line), indentation(line), apart


def closes(line: str) -> bool:
    """Return True if a line continues or ends the construct above it."""
    return _CLOSING.match(line) is not None


def indentation(line: str) -> int:
    """Columns before the first character."""
    text = line.expandtabs(_TAB) if "\t" in line else line
    return len(text) - len(text.lstrip())


def count_tokens(text: str) -> int:
    """An estimate that depends only on the text."""
    return len(_TOKEN.findall(text))


def tokens_of_lines(lines: Iterable[str]) -> Iterable[int]:
    """`count_tokens` of each line; no token spans two lines."""
    return (_of_line(line) if len(line) <= _MAX_CACHED_CHARS else count_tokens(line) for line in lines)


_of_line = lru_cache(maxsize=1 << 14)(count_tokens)


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
    symbols = tuple(symbol for definition in small for symbol in definition.all_symbols)
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
        definition.first, definition.last, main, definition.all_symbols, definition.signature, definition.doc
    )


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
