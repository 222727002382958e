"""The names of a generation, titles and headings: a query that is one, begins one or is a slip of one.

Names are compared by their words as they are typed, without case and punctuation (`text.words.name_of`).
"""

import re
from functools import lru_cache

import tantivy

from searchsocket.stores.words.index import Scored, WordIndex
from searchsocket.stores.words.vocabulary import Vocabulary
from searchsocket.text.storable import storable
from searchsocket.text.words import name_of, parse_query, possible_names
from searchsocket.types import Filter

NAMES = "names"  # the field that holds them, each a token
_NEARLY = 0.95  # of a name that the query is but for what stands in front, behind, or is still to be typed
_MIN_BEGUN_CHARS = 3
_MAX_BEGUN = 12
_HOST = re.compile(r"[A-Za-z][\w+.-]*://[^/]*")
_PAGE_FILE = re.compile(r"(?:(?:^|/)index)?\.html?$")
_NO_DIGIT = re.compile(r"\D+")


def named(index: WordIndex, text: str, where: Filter, top_k: int) -> Scored:
    """The documents that are called `text`, or begin so while it may still be being typed; see `WordSnapshot.named`."""
    worth, begun = _worth(text)
    if begun:
        worth = dict(worth)
        for name, _ in index.searcher.terms_with_prefix(NAMES, begun, limit=_MAX_BEGUN):
            worth.setdefault(name, _NEARLY * len(begun) / len(name))
    return index.best_named(worth, where, top_k)


@lru_cache(maxsize=64)  # asked for pages and for records
def _worth(text: str) -> tuple[dict[str, float], str]:
    """The weight of each name that the query may be, and the name that it may begin; "" for none."""
    text = storable(text)
    names = possible_names(text)
    if not names:
        return {}, ""
    worth = dict.fromkeys([*names[:1], *possible_addresses(text)], 1.0) | dict.fromkeys(names[1:], _NEARLY)
    return worth, names[0] if len(names[0]) >= _MIN_BEGUN_CHARS and parse_query(text).open_ended else ""


def possible_addresses(text: str) -> tuple[str, ...]:
    """The path of a typed address, with or without its host, its ending and the slashes around it; else nothing."""
    if "/" not in text:
        return ()
    path = _HOST.sub("", text.strip().partition("#")[0].partition("?")[0], count=1)
    if any(map(str.isspace, path)):
        return ()
    return ("/" + _PAGE_FILE.sub("", path).strip("/"),)


def names_vocabulary(pages: tantivy.Searcher, records: tantivy.Searcher) -> Vocabulary:
    """All names, ready to be compared with a typed one; of equally near ones titles come first."""
    return Vocabulary(lambda first: [*pages.terms_with_prefix(NAMES, first), *records.terms_with_prefix(NAMES, first)])


def nearest_name(names: Vocabulary, text: str) -> str:
    """The name that `text` is a slip or two of; `text` where there is none. Digits are no slips: `2.1` is not `2.0`."""
    name = name_of(storable(text))
    digits = _NO_DIGIT.sub("", name)
    near = names.nearest(name) if name else []
    return next((one for one in near if _NO_DIGIT.sub("", one) == digits), text)
