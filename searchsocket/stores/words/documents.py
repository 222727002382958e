"""The words of records: those that count for ranking, and terms that a record has or lacks."""

import hashlib
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from searchsocket.stores.words.pack_words import (
    EXACT,
    LOOSE,
    NAMES,
    PAGE_NAMES,
    PLAIN,
    RECORD_FIELDS,
    SCORED_FIELDS,
    PackWords,
)
from searchsocket.stores.words.tables import TableBuilder
from searchsocket.system.arrays import narrow
from searchsocket.text.exact import exact_tokens
from searchsocket.text.words import index_words, names_of, spellings, split_code
from searchsocket.types import Prose

_MAX_TOKEN_CHARS = 200
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)", re.MULTILINE)


class WordRow(NamedTuple):
    """The columns of a record from which its words are extracted; lists are JSON."""

    kind: str
    weight: float
    url: str
    title: str
    link_texts: str
    at_heading_path: str | None  # None of code
    at_title: str | None  # likewise
    at_symbol: str | None  # None of prose
    body: str  # `Prose` or `Code`
    body_text: str


def words_of(rows: Iterable[WordRow]) -> PackWords:
    """The words of records, whose slots are their positions in `rows`."""
    scored, exact = TableBuilder(), TableBuilder()
    lengths: list[list[int]] = []
    for slot, row in enumerate(rows):
        own_lengths = [0] * len(SCORED_FIELDS)
        lengths.append(own_lengths)
        if row.weight <= 0:
            continue  # counted, but never returned
        values = _texts(row)
        own = HEADING.findall(values["body"]) if row.kind == "section" else [row.at_symbol] if row.at_symbol else []
        for field, text in enumerate((*values.values(), "\n".join(own))):
            if text:
                words = index_words(text)
                own_lengths[field] = len(words)
                scored.add(slot, field, words)
        spelled, tokens = spellings("\n".join(values.values())), exact_tokens(row.body_text)
        if max(map(len, tokens), default=0) > _MAX_TOKEN_CHARS:
            tokens = set(map(token, tokens))
        exact.add(slot, PLAIN, spelled)
        exact.add(slot, EXACT, list(tokens.difference(spelled)))
        exact.add(slot, LOOSE, [word for word in spelled if word not in tokens])
        exact.add(slot, NAMES, _names(name for heading in (row.at_title or "", *own) for name in names_of(heading)))
        exact.add(slot, PAGE_NAMES, _names((*names_of(row.title), row.url)))
    columns = narrow(np.array(lengths, np.int64).ravel()).reshape(-1, len(SCORED_FIELDS)).T
    return PackWords(scored.table(with_positions=True), exact.table(with_positions=False), columns)


def _texts(row: WordRow) -> dict[str, str]:
    """The text of each searched field."""
    body, code = split_code(row.body_text) if row.body == Prose.__name__ else ("", row.body_text)
    headings, links = "\n".join(_items(row.at_heading_path or "[]")), "\n".join(_items(row.link_texts))
    texts = (row.title, headings, links, row.url.replace("/", " "), body, code)
    return dict(zip(RECORD_FIELDS, texts, strict=True))


def _names(names: Iterable[str]) -> list[str]:
    """Names as terms; a line end separates terms in a table, and nobody types one."""
    return [token(name) for name in dict.fromkeys(names) if "\n" not in name]


@lru_cache(maxsize=1 << 12)  # links to a page are those of all its records
def _items(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def token(value: str) -> str:
    """A value as one term: a long value is replaced by its hash."""
    return value if len(value) <= _MAX_TOKEN_CHARS else hashlib.sha256(value.encode()).hexdigest()
