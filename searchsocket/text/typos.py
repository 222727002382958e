"""Words of a vocabulary that differ from a typed one by a slip or two."""

from collections.abc import Sequence
from itertools import islice

MIN_CHARS = 4  # shorter words have too many neighbours to mean one of them
_TWO_EDITS_FROM = 8
_MAX_NEAREST = 3


def allowed_edits(word: str) -> int:
    """The number of typos allowed in a word of this length: none, one or two. Another number is another thing."""
    is_number = not any(map(str.isalpha, word))
    return 0 if len(word) < MIN_CHARS or is_number else 1 if len(word) < _TWO_EDITS_FROM else 2


def nearest(word: str, vocabulary: Sequence[str]) -> list[str]:
    """The first words of a vocabulary that are fewest edits away, at most three.

    Args:
        word: Folded, and not in the vocabulary itself.
        vocabulary: In the order in which equally near words are wanted.
    """
    for edits in range(1, allowed_edits(word) + 1):
        words = list(islice((candidate for candidate in vocabulary if within(word, candidate, edits)), _MAX_NEAREST))
        if words:
            return words
    return []


def is_likely_typo(typed: str, word: str) -> bool:
    """Return True for a likely typo: a letter left out, doubled, or swapped with its neighbour; in long words any."""
    if not within(typed, word, 1):
        return False
    doubled = {typed[:at] + typed[at + 1 :] for at in range(1, len(typed)) if typed[at] == typed[at - 1]}
    return len(typed) >= _TWO_EDITS_FROM or len(word) > len(typed) or word in doubled or sorted(typed) == sorted(word)


def within(one: str, other: str, edits: int) -> bool:
    """Return True if `edits` insertions, deletions, replacements or swaps of neighbours turn `one` into `other`."""
    at = 0
    shorter = min(len(one), len(other))
    while at < shorter and one[at] == other[at]:
        at += 1
    one, other = one[at:], other[at:]
    if not one or not other or edits == 0:
        return len(one) + len(other) <= edits
    return (
        within(one[1:], other[1:], edits - 1)
        or within(one[1:], other, edits - 1)
        or within(one, other[1:], edits - 1)
        or (one[:2] == other[1::-1] and within(one[2:], other[2:], edits - 1))
    )
