"""Results for chunks of code, with a preview and their current lines: files are compared with the indexed ones."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from searchsocket.extensions.code.parsing.reading import source_text
from searchsocket.extensions.code.parsing.symbols import spoken_name, symbols_in, ways_to_say
from searchsocket.extensions.code.search.answer import CodeResult, Why
from searchsocket.extensions.code.search.changelog import ENOUGH, best_entry, is_history, version_of
from searchsocket.search.answering.sentences import QuestionTerms
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.text.words import index_words, parse_query
from searchsocket.types import Code, Lines, Record

ReadNow = Callable[[str], bytes | None]  # path -> current content of the file; None if it was deleted

_LINES, _CHARS = 12, 800
_HEAD = 5  # lines at the beginning that always stay, since they contain the signature
_GAP = re.compile(r"⋮ (\d{1,6}) lines")  # a line that replaces this number of lines


class LinesNow(NamedTuple):
    """Current position of a chunk's text in its file."""

    first: int
    last: int
    changed: bool  # True if the file changed since it was indexed


def lines_now(text: str, first: int, last: int, indexed: str, data: bytes | None) -> LinesNow | None:
    """Return the current position of a chunk; None if its file was deleted.

    Args:
        text: Text of the chunk.
        first, last: Its indexed position.
        indexed: Hash of the indexed file; "" if unknown, since the file changed while it was indexed.
        data: Current content of the file.
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
    """Return the line, nearest to line `first`, at which the text starts now; None if it is not in the file."""
    chunk_lines, lines = text.split("\n"), now.split("\n")
    size = len(chunk_lines)
    starts = [at for at, line in enumerate(lines) if line == chunk_lines[0] and lines[at : at + size] == chunk_lines]
    return min(starts, key=lambda at: abs(at + 1 - first)) + 1 if starts else None


def code_result(
    record: Record,
    reader: IndexReader,
    read_now: ReadNow,
    *,
    q: str = "",
    changes: QuestionTerms | None = None,
    cosine: float,
    score: float,
    signals: tuple[str, ...],
    parts: Mapping[str, float] = MappingProxyType({}),
) -> CodeResult | None:
    """Return the result for a chunk; None if its file was deleted.

    Args:
        q: The query, to report its words and names in the chunk; "" if there is none.
        changes: Words of a question about versions; of a changelog only the entry with most of them is returned.
        cosine: Cosine of the query's vector and the chunk's.
        signals: Reasons for the rank, see `Why`.
        parts: Parts of the score by name, see `ScoreParts`.
    """
    chunk, page = record.chunk, record.page
    assert isinstance(chunk.at, Lines)
    assert isinstance(chunk.body, Code)
    indexed, data = reader.catalogue.page_digest(page.url), read_now(page.source_file)
    now = lines_now(chunk.body.text, chunk.at.first, chunk.at.last, indexed, data)
    if now is None:
        return None
    text, name = chunk.body.text, _name_in(q, chunk.at)
    own, version = own_lines(text, chunk.at, name), ""
    if changes and is_history(page.source_file) and (entry := best_entry(text, changes)).share >= ENOUGH:
        own = OwnLines(entry.first, entry.last)
        version = version_of(source_text(data or b"")[0].split("\n"), now.first - 1 + entry.first)
    if own is not None:
        text = "\n".join(text.split("\n")[own.first : own.last + 1])
        now = now._replace(first=now.first + own.first, last=now.first + own.last)
    return CodeResult(
        id=record.id,
        file=page.source_file,
        lines=f"{now.first}-{now.last}",
        symbol=version or name or chunk.at.symbol,
        kind=chunk.kind,
        language=chunk.body.language,
        signature=chunk.at.signature,
        exported=bool(chunk.at.exported),
        similarity=max(-1.0, min(1.0, round(cosine, 4))),
        score=score,
        why=Why(terms_in(q, f"{page.source_file} {chunk.at.symbol} {chunk.body.text}"), signals),
        preview=preview(text, q, has_signature=chunk.kind != "block"),
        changed_since=now.changed,
        parts={name: round(part, 6) for name, part in parts.items() if part},
    )


def terms_in(q: str, text: str) -> tuple[str, ...]:
    """Return the words of a query that a text contains in any form."""
    words = [word for word in parse_query(q).words if not word.is_stop]
    if not words:
        return ()
    text_words = set(index_words(text.replace("/", " ")))
    return tuple(
        word.exact for word in words if not text_words.isdisjoint((word.exact, word.stem or word.exact, *word.parts))
    )


def _name_in(q: str, at: Lines) -> str:
    """Return the name in the query that the lines define; "" if they define no such name."""
    query_symbols = symbols_in(q)
    folded = tuple(name.casefold() for name in query_symbols)
    exact = (name for name in at.heading_path if name in query_symbols)
    likely = (name for name in at.heading_path if folded and name.casefold().endswith(folded))
    spoken = spoken_name(q)
    spoken_names = (name for name in at.heading_path if spoken and spoken in ways_to_say(name))
    return next(exact, None) or next(likely, None) or next(spoken_names, "")


_SHORT = frozenset({"constant", "variable"})  # kinds that share a chunk with their neighbours
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--)")
_CLOSING = re.compile(r"\s*[\])}]")


class OwnLines(NamedTuple):
    """Some lines of a chunk, by index, the last one included."""

    first: int
    last: int


def own_lines(text: str, at: Lines, name: str) -> OwnLines | None:
    """Return the lines of a constant or variable, with the comment above it; None for other kinds.

    Args:
        text: The text of the chunk.
        at: The indexed position of the chunk.
        name: The qualified name of the definition.
    """
    lines = text.split("\n")
    if len(lines) != at.last - at.first + 1:  # a part of a very long line
        return None
    starts = {name: int(line) - at.first for line, kind, name in map(_parts, at.defines) if kind in _SHORT}
    if not 0 <= (start := starts.get(name, -1)) < len(lines):
        return None
    others = (int(line) - at.first for line, _, _ in map(_parts, at.defines))
    end = min((other for other in others if other > start), default=len(lines)) - 1
    return OwnLines(_with_comment(lines, start), _end(lines, start, end))


def _parts(definition: str) -> tuple[str, str, str]:
    line, kind, name = definition.split(":", 2)
    return line, kind, name


def _with_comment(lines: list[str], start: int) -> int:
    while start > 0 and _COMMENT.match(lines[start - 1]):
        start -= 1
    return start


def _end(lines: list[str], start: int, end: int) -> int:
    """Return the last line that is indented below the first one, or closes it."""
    depth = _indent(lines[start])
    last = start
    for at in range(start + 1, end + 1):
        if not lines[at].strip():
            continue
        if _indent(lines[at]) <= depth and not _CLOSING.match(lines[at]):
            break
        last = at
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def preview(text: str, q: str = "", *, has_signature: bool = True) -> str:
    """Return the first 12 lines of a chunk, or its first 5, a gap and the 7 that match the query best.

    Lines without a signature, such as imports and constants, are not worth the first 5: the 12 best are returned. The
    best lines contain the most different words of the query, then the most words.
    """
    lines = text.split("\n")
    words_by_line = _query_words(lines, q) if len(lines) > _LINES else []
    head = _HEAD if has_signature else 0
    start, length = _best(words_by_line, len(lines), head) if words_by_line else (0, _LINES)
    lines_out = (
        lines[:_LINES] if start == 0 else [*lines[:head], f"⋮ {start - head} lines", *lines[start : start + length]]
    )
    return "\n".join(lines_out)[:_CHARS]


def numbered_lines(text: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a preview with their numbers in the file; `first` is the chunk's first line."""
    number = first
    for line in text.split("\n"):
        if gap := _GAP.fullmatch(line):
            number += int(gap[1])
        else:
            yield number, line
            number += 1


def _query_words(lines: Sequence[str], q: str) -> list[set[str]]:
    """Return for each line the words of the query, in any form, that it contains."""
    words = {form for word in parse_query(q).words if not word.is_stop for form in (word.exact, word.stem, *word.parts)}
    return [words.intersection(index_words(line)) for line in lines] if words else []


def _best(words_by_line: Sequence[set[str]], count: int, head: int) -> tuple[int, int]:
    """Return the first line to show and the number of lines: the chunk's beginning unless others match better."""

    def score(first: int, last: int) -> tuple[int, int]:
        return len(set().union(*words_by_line[first:last])), sum(map(len, words_by_line[first:last]))

    length = _LINES - head
    starts = range(head + 1, count - length + 1)
    best = max(starts, key=lambda start: score(start, start + length), default=0)
    return (best, length) if best and score(best, best + length) > score(head, _LINES) else (0, _LINES)
