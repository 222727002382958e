"""Find words of a vocabulary that differ from a typed word by a typo or two."""

import re
from collections.abc import Sequence
from itertools import islice, takewhile

MIN_CHARS = 4  # shorter words have too many neighbours
_TWO_EDITS_FROM = 8
_MAX_NEAREST = 3
_NO_DIGIT = re.compile(r"\D+")
# Endings of the forms of one word where words are not stemmed: German, Romance and Slavic languages.
_ENDINGS = frozenset((
    "", "e", "en", "em", "er", "ern", "es", "n", "nen", "s", "x", "i", "o", "a", "ao", "oes", "aes", "m", "ns", "l",
    "is", "ux", "а", "я", "ы", "и", "у", "ю", "е", "о", "ь", "й", "ой", "ей", "ом", "ем", "ов", "ев", "ам", "ям",
    "ами", "ями", "ах", "ях", "ия", "ии", "ию", "ие",
))  # fmt: skip
MAX_ENDING_CHARS = max(map(len, _ENDINGS))
SHARED_CHARS = 4  # at the beginning of two forms of one word; one more if one of them has no ending


def allowed_edits(word: str) -> int:
    """The number of typos allowed in a word of this length: none, one or two. In a number, none."""
    is_number = not any(map(str.isalpha, word))
    return 0 if len(word) < MIN_CHARS or is_number else 1 if len(word) < _TWO_EDITS_FROM else 2


def nearest(word: str, vocabulary: Sequence[str]) -> list[str]:
    """The first words of a vocabulary with the fewest edits, at most three; else those with another ending.

    A different digit is no typo: `v2.1` is not `v2.0`.

    Args:
        word: A folded word that is not in the vocabulary.
        vocabulary: Words in order of preference between equally near ones.
    """
    digits = _NO_DIGIT.sub("", word)
    for edits in range(1, allowed_edits(word) + 1):
        near = (candidate for candidate in vocabulary if within(word, candidate, edits))
        words = list(islice((one for one in near if _NO_DIGIT.sub("", one) == digits), _MAX_NEAREST))
        if words:
            return words
    return list(islice((other for other in vocabulary if _has_other_ending(word, other)), _MAX_NEAREST))


def _has_other_ending(word: str, other: str) -> bool:
    """Return True if two words differ only by an ending: `einstellungen` and `einstellung`, `homens` and `homem`."""
    if word[:SHARED_CHARS] != other[:SHARED_CHARS]:
        return False
    pairs = zip(word, other, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    ends = ((at, (word[at:], other[at:])) for at in range(shared, SHARED_CHARS - 1, -1))
    return any(at >= SHARED_CHARS + ("" in pair) and _ENDINGS.issuperset(pair) for at, pair in ends)


def is_likely_typo(typed: str, word: str) -> bool:
    """Return True for a likely typo: a letter left out, doubled, or swapped with its neighbour; in long words any.

    Another ending of the same word is likely too.
    """
    if _has_other_ending(typed, word):
        return True
    if not within(typed, word, 1):
        return False
    doubled = {typed[:at] + typed[at + 1 :] for at in range(1, len(typed)) if typed[at] == typed[at - 1]}
    return len(typed) >= _TWO_EDITS_FROM or len(word) > len(typed) or word in doubled or sorted(typed) == sorted(word)


def within(first: str, second: str, edits: int) -> bool:
    """Return True if `edits` insertions, deletions, replacements or swaps of neighbours turn `first` into `second`."""
    at = 0
    shorter = min(len(first), len(second))
    while at < shorter and first[at] == second[at]:
        at += 1
    first, second = first[at:], second[at:]
    if not first or not second or edits == 0:
        return len(first) + len(second) <= edits
    return (
        within(first[1:], second[1:], edits - 1)
        or within(first[1:], second, edits - 1)
        or within(first, second[1:], edits - 1)
        or (first[:2] == second[1::-1] and within(first[2:], second[2:], edits - 1))
    )
