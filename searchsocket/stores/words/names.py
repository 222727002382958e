"""The names of a generation, titles and headings: match queries that are a name, its beginning or a typo of it.

Names are compared by their words as typed, without case and punctuation (`text.words.name_of`).
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from searchsocket.stores.words.fields import NAMES, PAGE_NAMES
from searchsocket.stores.words.index import Rows, WordIndex
from searchsocket.stores.words.vocabulary import Vocabulary
from searchsocket.text.storable import storable
from searchsocket.text.words import name_of, parse_query, possible_names

_NEARLY = 0.95  # weight of a name that the query contains with words around it, or that is not yet typed to the end
_MIN_BEGUN_CHARS = 3
_MAX_BEGUN = 12
_HOST = re.compile(r"[A-Za-z][\w+.-]*://[^/]*")
_PAGE_FILE = re.compile(r"(?:(?:^|/)index)?\.html?$")
_NO_DIGIT = re.compile(r"\D+")


def names_of_query(index: WordIndex, field: int, text: str) -> list[tuple[Rows, float]]:
    """The records of each name that a query is or begins, and the weight of the name; see `WordSnapshot.named`.

    Args:
        field: `NAMES` or `PAGE_NAMES`.
    """
    worth, begun = _worth(text)
    if begun:
        worth = dict(worth)
        for name in most_frequent(index.prefixed("exact", [field], begun), _MAX_BEGUN):
            worth.setdefault(name, _NEARLY * len(begun) / len(name))
    return [(rows, weight) for name, weight in worth.items() if len(rows := index.rows_with(field, name))]


def most_frequent(counts: Mapping[str, int], limit: int | None = None) -> list[str]:
    """Terms by descending count, equals by spelling."""
    return sorted(sorted(counts), key=counts.__getitem__, reverse=True)[:limit]


@lru_cache(maxsize=64)  # called for pages and for records
def _worth(text: str) -> tuple[dict[str, float], str]:
    """The weight of each name that the query may be, and the name that it may begin; "" for none."""
    text = storable(text)
    names = possible_names(text)
    if not names:
        return {}, ""
    worth = dict.fromkeys([*names[:1], *possible_addresses(text)], 1.0) | dict.fromkeys(names[1:], _NEARLY)
    return worth, names[0] if len(names[0]) >= _MIN_BEGUN_CHARS and parse_query(text).open_ended else ""


def possible_addresses(text: str) -> tuple[str, ...]:
    """The path of a typed address, which may have a host, a file ending and slashes around it; empty if it is none."""
    if "/" not in text:
        return ()
    path = _HOST.sub("", text.strip().partition("#")[0].partition("?")[0], count=1)
    if any(map(str.isspace, path)):
        return ()
    return ("/" + _PAGE_FILE.sub("", path).strip("/"),)


def names_vocabulary(index: WordIndex) -> Vocabulary:
    """All names, ready for comparison with a query; titles precede headings with the same distance."""

    def beginning_with(letter: str) -> list[str]:
        by_field = [index.prefixed("exact", [field], letter) for field in (PAGE_NAMES, NAMES)]
        return [name for counts in by_field for name in most_frequent(counts)]

    return Vocabulary(beginning_with)


def nearest_name(names: Vocabulary, text: str) -> str:
    """The name within a typo or two of `text`, else `text`. A different digit is not a typo: `2.1` is not `2.0`."""
    name = name_of(storable(text))
    digits = _NO_DIGIT.sub("", name)
    near = names.nearest(name) if name else []
    return next((one for one in near if _NO_DIGIT.sub("", one) == digits), text)
