"""Words of a query in a text: side by side, or all of them. Such a text is more likely to be relevant."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.words.bm25 import WordScores, idf
from searchsocket.stores.words.fields import BODY, CODE
from searchsocket.stores.words.index import Rows, WordIndex
from searchsocket.text.words import QueryWord

_FIELDS = (BODY, CODE)  # a section's text begins with its heading
_MAX_DISTANCE = 2  # of the second word: one word may be between the two, such as "of"
_MAX_PAIRS = 8  # only the first ones, because each pair costs a search


def share_of_pairs(index: WordIndex, words: Sequence[QueryWord], rows: Rows) -> NDArray[np.float64]:
    """The share of the adjacent words of a query that are adjacent in each of some rows."""
    forms = [word.stem or word.exact for word in words][: _MAX_PAIRS + 1]
    positions = {form: index.positions(form, _FIELDS, rows) for form in forms} if len(forms) > 1 else {}
    shares = np.zeros(index.count)
    for one, other in pairwise(forms):
        first, second = positions[one], positions[other]
        if len(first) and len(second):
            nearest = second[np.minimum(np.searchsorted(second, first + 1), len(second) - 1)] - first
            beside = (nearest > 0) & (nearest <= _MAX_DISTANCE)
            shares[np.unique(index.rows_of(first[beside]))] += 1.0 / (len(forms) - 1)
    return shares[rows].round(4)


def share_of_words(scores: WordScores, words: Sequence[QueryWord], rows: Rows) -> NDArray[np.float64]:
    """The share of the words of a query that each of some rows contains; rare words count more."""
    index = scores.index
    has_word, shares, total = np.zeros(index.count, np.bool_), np.zeros(len(rows)), 0.0
    for form in dict.fromkeys(word.stem or word.exact for word in words):
        term = scores.of(form)
        rarity = float(idf(index.count, term.by_field[list(_FIELDS)].max()))
        total += rarity
        has_word[term.text_records] = True
        shares += rarity * has_word[rows]
        has_word[term.text_records] = False
    return (shares / total).round(4) if total else shares
