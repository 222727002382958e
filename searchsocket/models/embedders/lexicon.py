"""English words, from the built-in model's vocabulary; independent of the index's model."""

import re
from functools import cache

from searchsocket.models.embedders.builtin import Tokens, vocabulary
from searchsocket.text.words import parse_query, stem, stems

_INNER = "##"  # before a piece from inside a word
_FIRST, _LAST = 4, 3  # minimum letters of the two words of a compound; shorter ones would accept noise
# Rows of neighbouring keys: `asdf` is the name of a program, and also a typical test input.
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop", "yxcvbnm")
_MIN_KEYS = 4
_MIN_REPEATED_KEYS = 3  # `asdasd`
# What people type and can say: vowels, and at most four consonants in a row.
_SPOKEN = re.compile(r"(?=.*[aeiouy])(?!.*[^aeiouy]{5})[a-z]{3,}")
_PREFIXES = ("un", "re", "dis", "non", "pre", "post", "over")


def is_language(text: str) -> bool:
    """Return True if every word of a query, without stop words, is English, alone or joined with its neighbour."""
    words = [word for word in parse_query(text).words if not word.is_stop]
    return bool(words) and all(all(map(_is_word, word.exact.split("-"))) for word in words)


def is_run_of_keys(word: str) -> bool:
    """Return True if a word in small letters is typed by neighbouring keys, also twice: `asdfasdf`."""
    if len(word) >= _MIN_KEYS and _are_neighbours(word):
        return True
    part = word[: len(word) // 2]
    return len(part) >= _MIN_REPEATED_KEYS and part * 2 == word and _are_neighbours(part)


def _are_neighbours(keys: str) -> bool:
    return any(keys in row or keys[::-1] in row for row in _KEYS)


def may_be_word(word: str) -> bool:
    """Return True if a word may be one of any language or a name: `zugzwang`, but neither `zqxvw` nor `asdfg`."""
    return _SPOKEN.fullmatch(word) is not None and not is_run_of_keys(word)


def _is_word(word: str) -> bool:
    tokens, stems_of_words = _lexicon()
    if is_run_of_keys(word):
        return False
    if _is_entry(word, tokens):
        return True
    if not word.isalpha() or not word.isascii():
        return False
    # A word that is its own stem is already checked above: `duti` is no word, although it is the stem of `duties`.
    if (stemmed := stem(word)) != word and stemmed in stems_of_words:
        return True
    splits = ((word[:at], word[at:]) for at in range(2, len(word) - _LAST + 1))
    return any(
        (len(last) >= _FIRST and _is_entry(last, tokens)) or (stem(last) in stems_of_words and len(last) > _FIRST)
        if first in _PREFIXES
        else len(first) >= _FIRST
        and _is_entry(first, tokens)
        and ((len(last) >= _FIRST and _is_entry(last, tokens)) or f"{_INNER}{last}" in tokens)
        for first, last in splits
    )


def _is_entry(word: str, tokens: Tokens) -> bool:
    return len(word) > 2 and word.isalpha() and word in tokens


@cache
def _lexicon() -> tuple[Tokens, frozenset[str]]:
    """Return the vocabulary, and the stems of its whole words; loading takes 40 ms at the first call."""
    tokens = vocabulary()
    return tokens, frozenset(stems({entry for entry in tokens if _is_entry(entry, tokens)}))
