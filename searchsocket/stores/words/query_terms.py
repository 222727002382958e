"""A parsed query and its search terms in the word index; compounds are split into known words."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from searchsocket.text.synonyms import Forms
from searchsocket.text.typos import allowed_edits
from searchsocket.text.words import ParsedQuery, QueryWord, stem

_MAX_CORRECTED = 4  # words of a query
_MIN_PART_CHARS = 5  # English has many words like `passport`
_ENDINGS = ("", "s", "n", "e", "es", "en", "er")  # of German words, also between two


Term = tuple[str, float]  # a form that documents may contain, and its weight


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of one query, and their forms in the index."""

    parsed: ParsedQuery
    words: tuple[QueryWord, ...]  # those that count
    terms: list[Term]
    wholes: list[tuple[Forms, float]]  # synonyms and spellings of several words
    others: dict[str, tuple[Forms, ...]]  # all synonyms and spellings, by the exact form of their word
    unknown: list[QueryWord]  # in no record, in any form
    compounds: dict[str, list[Forms]]  # the parts of unknown words without a correction, see `split_compound`


def worth_correcting(unknown: Iterable[QueryWord]) -> list[QueryWord]:
    """The longest words that may be typos, at most `_MAX_CORRECTED`: each correction costs a search."""
    typos = [word for word in unknown if allowed_edits(word.exact)]
    return sorted(typos, key=lambda word: -len(word.exact))[:_MAX_CORRECTED]


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
