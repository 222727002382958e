"""Weights of meaning, words of chunks and words of pages, by the model and the kind of text.

Chosen on the development collections; what each choice is worth is in docs/notes/quality.md.
"""

from collections.abc import Sequence

from searchsocket.search.ranking.weights import LISTS, Shares
from searchsocket.text.words import parse_query

# Scaled scores keep how much better one hit is than the next, which reciprocal ranks lose (docs/notes/ranking.md).
FEW_WORDS = LISTS["few_words"]
# Who says more describes a page, and the words of that lie scattered over it; a sum of many words means little.
MANY_WORDS = LISTS["many_words"]
# Three words are said by most passages that answer, and by others.
SOME_WORDS = LISTS["some_words"]
_SOME, _MANY = 4, 5  # words, stop words aside
# A model that reads whole sentences means more the more is said, so length changes nothing.
READ = LISTS["read"]
# Functions, abstracts: the chunk is the page, so its words would count twice.
READ_WHOLE = LISTS["read_whole"]
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
