"""English words, from the built-in model's vocabulary; independent of the index's model."""

from functools import cache
from importlib.resources import files

from searchsocket.models.embedders.builtin import ENTRIES
from searchsocket.text.words import parse_query, stem, stems

_INNER, _BUCKET = "##", "["
_FIRST, _LAST = 4, 3  # minimum letters of the two words of a compound; shorter ones would accept noise
# Rows of neighbouring keys: `asdf` is the name of a program, and also a typical test input.
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop", "yxcvbnm")
_MIN_KEYS = 4
_PREFIXES = ("un", "re", "dis", "non", "pre", "post", "over")


def is_language(text: str) -> bool:
    """Return True if every word of a query, without stop words, is English, alone or joined with its neighbour."""
    words = [word for word in parse_query(text).words if not word.is_stop]
    return bool(words) and all(all(map(_is_word, word.exact.split("-"))) for word in words)


def is_run_of_keys(word: str) -> bool:
    """Return True if a word in small letters is typed by neighbouring keys."""
    return len(word) >= _MIN_KEYS and any(word in keys or word[::-1] in keys for keys in _KEYS)


def _is_word(word: str) -> bool:
    words, stems, inner = _entries()
    if is_run_of_keys(word):
        return False
    if word in words:
        return True
    if not word.isalpha() or not word.isascii():
        return False
    # A word that is its own stem is already checked above: `duti` is no word, although it is the stem of `duties`.
    if (stemmed := stem(word)) != word and stemmed in stems:
        return True
    splits = ((word[:at], word[at:]) for at in range(2, len(word) - _LAST + 1))
    return any(
        ((last in words and len(last) >= _FIRST) or (stem(last) in stems and len(last) > _FIRST))
        if first in _PREFIXES
        else len(first) >= _FIRST and first in words and ((last in words and len(last) >= _FIRST) or last in inner)
        for first, last in splits
    )


@cache
def _entries() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return whole words of letters, their stems, and endings of words; loading takes 40 ms at the first call."""
    entries = (files("searchsocket.models.embedders") / "data" / ENTRIES).read_text(encoding="utf-8").splitlines()
    inner = {entry[len(_INNER) :] for entry in entries if entry.startswith(_INNER)}
    whole = {entry for entry in entries if entry.isalpha() and len(entry) > 2}
    return frozenset(whole), frozenset(stems(whole)), frozenset(ending for ending in inner if len(ending) >= _LAST)
