"""Weights of meaning, words of chunks and words of pages, by the model and the kind of text.

Chosen on the development collections; docs/notes/quality.md has the figures.
"""

from collections.abc import Sequence

from searchsocket.search.ranking.weights import LISTS, Shares
from searchsocket.text.words import parse_query

# Scaled scores, unlike reciprocal ranks, keep the distance between hits (docs/notes/ranking.md).
FEW_WORDS = LISTS["few_words"]
# A long query describes a page, over which its words are spread; the vector sum of many words is vague.
MANY_WORDS = LISTS["many_words"]
# Passages that answer mostly contain these words, but so do others.
SOME_WORDS = LISTS["some_words"]
_SOME, _MANY = 4, 5  # words, without stop words
# A model that reads whole sentences works for any length.
READ = LISTS["read"]
# In functions or abstracts the chunk is the page, so its words would count twice.
READ_WHOLE = LISTS["read_whole"]
_WHOLE = 1.1  # chunks per page among the candidates


def shares_of(q: str, urls: Sequence[str] = (), *, is_read: bool = False) -> Shares:
    """Return the weights of the lists for this query.

    Args:
        urls: The page of each candidate.
        is_read: True if the model reads a text as a whole, instead of adding up its words.
    """
    if is_read:
        return READ_WHOLE if urls and len(urls) < _WHOLE * len(set(urls)) else READ
    count = sum(not word.is_stop for word in parse_query(q).words)
    return MANY_WORDS if count >= _MANY else SOME_WORDS if count >= _SOME else FEW_WORDS
