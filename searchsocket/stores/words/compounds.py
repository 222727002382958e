"""Split a compound that no document contains into two words that documents contain: `Hintergrundaufgaben`."""

from collections.abc import Callable
from itertools import product

from searchsocket.text.synonyms import Forms
from searchsocket.text.words import stem

_MIN_PART_CHARS = 5  # English has many words like `passport`
_ENDINGS = ("", "s", "n", "e", "es", "en", "er")  # of German words, also between two


def split_compound(word: str, is_indexed: Callable[[str], bool]) -> list[Forms]:
    """The stems of the two words of a compound, in each form that documents contain; empty if it is none.

    Args:
        word: Folded. Of several splits the most even one counts.
        is_indexed: Returns True if documents contain a stem.
    """
    splits = range(_MIN_PART_CHARS, len(word) - _MIN_PART_CHARS + 1)
    for at in sorted(splits, key=lambda at: abs(2 * at - len(word))):
        head, tail = ([form for form in _stems(part) if is_indexed(form)] for part in (word[:at], word[at:]))
        if head and tail:
            return list(product(head, tail))
    return []


def _stems(part: str) -> list[str]:
    """The stems that a part may have in documents."""
    words = (part.removesuffix(ending) for ending in _ENDINGS if part.endswith(ending))
    return list(dict.fromkeys(stem(word) for word in words if len(word) >= _MIN_PART_CHARS))
