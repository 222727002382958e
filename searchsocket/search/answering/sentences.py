"""The sentences of a chunk that answer best: whole ones, neighbours, and what a colon introduces."""

from collections.abc import Sequence
from dataclasses import replace
from textwrap import dedent
from typing import NamedTuple

from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.content.markdown.plain_text import ChunkText
from searchsocket.search.answering.terms import Terms, text_words
from searchsocket.search.quoting.lines import is_markdown
from searchsocket.types import Code, Lines, Prose, Record

_MAX_UNITS = 4
_MAX_CHARS = 600
_MAX_INTRODUCED = 900  # with the code or list that a colon introduces
_LENGTH_COST = 0.05  # of a passage as long as may be: of two that say as much, the shorter one
_BARE_COST = 0.3  # of code or a table without a sentence
_PROSE = "pl"
_ENOUGH_CHARS = 450  # a shorter passage goes on with what follows, which mostly is what it was about to say
_HEADING_SHARE = 0.5  # of what its heading says: the sentence is about it
_MAX_LINES = 12
_HEADING = "h"
_DOCSTRINGS = "python"  # where the comment stands below the signature
_QUOTES = ('"""', "'''")
_NO_BODY = ": ..."  # of a stub in Python


class Passage(NamedTuple):
    """Some sentences of a chunk."""

    text: str
    share: float  # share of the question's words that they say, those of the heading counting half


def is_bare(record: Record) -> bool:
    """Return True if a definition is only a signature, such as an overload; the one with a body answers instead."""
    at = record.chunk.at
    return isinstance(at, Lines) and not at.doc and record.chunk.body.text.rstrip().endswith(_NO_BODY)


def best_passage(record: Record, said: ChunkText, terms: Terms) -> Passage:
    """The sentences of a chunk that say most of a question."""
    at = record.chunk.at
    if isinstance(at, Lines):
        if not is_markdown(record.page.source_file):
            return _of_code(record, at, terms)
        said = chunk_text(record.page, replace(record.chunk, body=Prose(record.chunk.body.text)))
    heading = text_words(f"{record.page.title} {' '.join(at.heading_path)} {at.title}")
    units = _units(said)
    words = [text_words(text) for text, _ in units]
    about = terms.share_of(heading)
    best, most = (0, min(1, len(units))), -1.0
    for first, (_, kind) in enumerate(units):
        if kind == _HEADING:
            continue
        own: frozenset[str] = frozenset()
        size = 0
        for last in range(first, min(first + _MAX_UNITS, len(units))):
            if units[last][1] == _HEADING:
                break
            size += len(units[last][0])
            if size > _MAX_CHARS and last > first:
                break
            own |= words[last]
            share = terms.share_of(own)
            both = terms.share_of(own | heading)
            score = share + _HEADING_SHARE * (both - share) - _LENGTH_COST * min(size / _MAX_CHARS, 1.0)
            score -= _BARE_COST * (not any(each in _PROSE for _, each in units[first : last + 1]))
            if score > most:
                best, most = (first, last + 1), score
    first, last = best
    own = frozenset(word for each in words[first:last] for word in each)
    share = terms.share_of(own)
    return Passage(
        _joined(units, first, _introduced(units, first, _followed(units, first, last))),
        max(share + _HEADING_SHARE * (terms.share_of(own | heading) - share), 0.0 if units else about),
    )


def _units(said: ChunkText) -> list[tuple[str, str]]:
    """Each sentence, item or line with what follows it up to the next, and its kind."""
    ends = [*said.starts[1:], len(said.text)]
    return [(said.text[start:end], kind) for start, end, kind in zip(said.starts, ends, said.kinds, strict=True)]


def _followed(units: Sequence[tuple[str, str]], first: int, last: int) -> int:
    """The end of a short passage that includes the following units of its section."""
    size = sum(len(text) for text, _ in units[first:last])
    while last < len(units) and size < _ENOUGH_CHARS and units[last][1] != _HEADING:
        size += len(units[last][0])
        if size > _MAX_CHARS:
            break
        last += 1
    return last


def _introduced(units: Sequence[tuple[str, str]], first: int, last: int) -> int:
    """The end of the passage including the text after its colon, as far as there is room."""
    if last < 1 or not units[last - 1][0].rstrip().endswith(":"):
        return last
    size = sum(len(text) for text, _ in units[first:last])
    while last < len(units) and units[last][1] in "clt" and size + len(units[last][0]) <= _MAX_INTRODUCED:
        size += len(units[last][0])
        last += 1
    return last


def _joined(units: Sequence[tuple[str, str]], first: int, last: int) -> str:
    return "".join(text for text, _ in units[first:last]).strip()


def _to_docstring(text: str, at: Lines) -> str:
    """The lines of a definition from its first one to the end of its docstring; "" where that is not found."""
    lines, closing = text.split("\n"), at.doc.strip().rsplit("\n", 1)[-1].strip()
    named = (one.split(":", 1)[0] for one in at.defines if one.endswith(f":{at.symbol}"))
    start = max(int(next(named, at.first)) - at.first, 0)
    end = next((number for number in range(start, len(lines)) if closing in lines[number]), -1) + 1
    if end and end < len(lines) and lines[end].strip() in _QUOTES:
        end += 1
    return dedent("\n".join(lines[start:end]))


def _of_code(record: Record, at: Lines, terms: Terms) -> Passage:
    """The comment of a definition with its signature, else its first lines."""
    body = record.chunk.body
    text = body.text
    if at.doc and isinstance(body, Code) and body.language == _DOCSTRINGS and (own := _to_docstring(text, at)):
        cited = own
    elif at.doc and at.signature:
        cited = f"{at.doc.strip()}\n{at.signature}"
    else:
        lines = text.split("\n")
        cited = "\n".join(lines[:_MAX_LINES])
    share = terms.share_of(text_words(f"{cited} {record.page.source_file} {at.symbol} {' '.join(at.heading_path)}"))
    return Passage(cited, share)
