"""Search keys and spoken forms of the names of definitions, independent of language and code style."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from searchsocket.text.words import STOP_WORDS, stem

LABEL = "symbol"  # label of a chunk, for each key of each name that it defines
EXACT = "name"  # likewise, for each qualified name as written
_MAX_CHARS = 200
_SEPARATORS = re.compile(r"::|->|(?<=\w)#(?=\w)")
_AROUND = "`'\"()[]{}<>,;:?!"
_OF_A_TYPE = re.compile(r"\s*[(\[&*]")  # `(StatusCode, R).into_response`
_SYMBOL = re.compile(r"[\w$@~.-]+")
_OF_CODE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|[^\W_]_+[^\W_]|^_|\w\.\w|\d|^[$@#]|[A-Z]+_|^[A-Z][a-z]+[A-Z]")
MOST_WORDS = 5  # a longer query is a question, not a name
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # the words of a name, without digits
Spoken = tuple[str, ...]  # stems in alphabetical order


def keys_of(qualified: str) -> tuple[str, ...]:
    """The search keys of a definition: its whole name, its last two parts, and its last part."""
    parts = qualified.casefold().split(".")
    return tuple(dict.fromkeys(".".join(parts[-count:])[:_MAX_CHARS] for count in (len(parts), 2, 1)))


def kind_label(kind: str) -> str:
    """The label of a chunk that is, or contains, a definition of this kind."""
    return f"defines={kind}"


def labels_of(names: Iterable[str]) -> tuple[str, ...]:
    """The search labels of a chunk that defines these names."""
    distinct = tuple(names)
    keys = dict.fromkeys(key for name in distinct for key in keys_of(name))
    return (*(f"{EXACT}={name[:_MAX_CHARS]}" for name in distinct), *(f"{LABEL}={key}" for key in keys))


def looks_like_code(name: str) -> bool:
    """Return True if a word looks like a name from code: camel case, an underscore, a dot, a digit."""
    return _OF_CODE.search(name) is not None


@lru_cache(maxsize=256)  # called for each result of a query
def symbols_in(query: str) -> tuple[str, ...]:
    """The names in a query: words that look like code, or the only word."""
    words = [_SEPARATORS.sub(".", word.removesuffix("()").strip(_AROUND)).strip(".-") for word in query.split()]
    candidates = [word for word in words if word and _SYMBOL.fullmatch(word)]
    alone = len(words) == 1
    symbols = [word for word in candidates if alone or _OF_CODE.search(word)]
    # Also the whole text, for names that contain brackets and spaces.
    text = query.strip()
    whole = [text, _SEPARATORS.sub(".", text)] if alone or _OF_A_TYPE.match(query) else []
    return tuple(dict.fromkeys(word[:_MAX_CHARS] for word in (*symbols, *whole)))


def spoken_name(query: str) -> Spoken:
    """The name in a query, independent of word order; empty for one word, or for a question."""
    words = words_of_name(query, STOP_WORDS)
    return tuple(sorted(words)) if 2 <= len(words) <= MOST_WORDS else ()


@lru_cache(maxsize=1 << 16)  # every query checks the same names
def ways_to_say(qualified: str) -> frozenset[Spoken]:
    """The spoken forms of a name: alone, and with its parent's name."""
    parts = qualified.split(".")
    return frozenset(tuple(sorted(words_of_name(".".join(parts[-count:])))) for count in (1, 2))


def words_of_name(name: str, without: Collection[str] = ()) -> list[str]:
    """The stems of the words in a name or text, in order, identifiers split and without digits.

    Args:
        without: Words to leave out, in lower case.
    """
    return [stem(word) for word in map(str.lower, _WORDS.findall(name)) if word not in without]
