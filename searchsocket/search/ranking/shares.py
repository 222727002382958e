"""Weights of meaning, words of chunks and words of pages, by the model and the kind of text.

Chosen on the development collections; what each choice is worth is in docs/notes/quality.md.
"""

from collections.abc import Sequence
from typing import NamedTuple

from searchsocket.text.words import parse_query


class Shares(NamedTuple):
    """Weights of the lists; their sum is 1."""

    meaning: float
    words: float  # of chunks
    page: float
    together: float = 0.0  # beside them: what a passage gains that says all words of the query


# Scaled scores keep how much better one hit is than the next, which reciprocal ranks lose (docs/notes/ranking.md).
FEW_WORDS = Shares(0.46, 0.27, 0.27)
# Who says more describes a page, and the words of that lie scattered over it; a sum of many words means little.
MANY_WORDS = Shares(0.34, 0.19, 0.47, 0.3)
# Three words are said by most passages that answer, and by others.
SOME_WORDS = FEW_WORDS._replace(together=0.3)
_SOME, _MANY = 4, 5  # words, stop words aside
# A model that reads whole sentences means more the more is said, so length changes nothing.
READ = Shares(0.45, 0.2, 0.35)
# Functions, abstracts: the chunk is the page, so its words would count twice.
READ_WHOLE = Shares(0.65, 0.0, 0.35, 0.2)
_WHOLE = 1.1  # chunks a page among the candidates


def shares_of(q: str, urls: Sequence[str] = (), *, is_read: bool = False) -> Shares:
    """The weights of the lists for this query.

    Args:
        urls: The page of each candidate.
        is_read: Whether the model reads a text as a whole, rather than adding up its words.
    """
    if is_read:
        return READ_WHOLE if urls and len(urls) < _WHOLE * len(set(urls)) else READ
    count = sum(not word.is_stop for word in parse_query(q).words)
    return MANY_WORDS if count >= _MANY else SOME_WORDS if count >= _SOME else FEW_WORDS
