"""Bonus of a passage for query words at one place (docs/notes/ranking.md)."""

from collections.abc import Sequence

import numpy as np

from searchsocket.search.ranking.weights import WEIGHTS, Shares
from searchsocket.stores.base import WordSnapshot
from searchsocket.types import Scores


def passage_scores(words: WordSnapshot, q: str, ids: Sequence[str], shares: Shares) -> Scores:
    """The bonus of each record for adjacent query words that are also adjacent in it, and for containing most of them.

    Args:
        shares: What saying all words is worth; the words are looked for only where it is something.
    """
    gains: Scores = WEIGHTS.neighbours * np.array(words.neighbours(q, ids), np.float64)
    if shares.together:
        # Squared, since half of a question is said by many passages that answer another one.
        proximity = np.square(np.array(words.together(q, ids), np.float64))
        gains += shares.together * (proximity - proximity.min(initial=1.0))
    return gains
