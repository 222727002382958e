"""Names in spoken form: `Quaternion.slerp` is "quaternion slerp", `parse_url` and `parseURL` are "parse a url"."""

import re
from collections.abc import Iterable
from functools import lru_cache

from searchsocket.text.words import STOP_WORDS, stem

MOST_WORDS = 5  # a longer query is a question, not a name
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # the words of a name, without digits

Spoken = tuple[str, ...]  # stems in alphabetical order


def spoken_name(query: str) -> Spoken:
    """The name in a query, independent of word order; empty for one word, or for a question."""
    words = [word for word in map(str.lower, _WORDS.findall(query)) if word not in STOP_WORDS]
    return _stems(words) if 2 <= len(words) <= MOST_WORDS else ()


@lru_cache(maxsize=1 << 16)  # every query checks the same names
def ways_to_say(qualified: str) -> frozenset[Spoken]:
    """The spoken forms of a name: alone, and with its parent's name."""
    parts = qualified.split(".")
    return frozenset(_stems(map(str.lower, _WORDS.findall(".".join(parts[-count:])))) for count in (1, 2))


def _stems(words: Iterable[str]) -> Spoken:
    return tuple(sorted(map(stem, words)))
