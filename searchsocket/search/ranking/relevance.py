"""Decide whether to answer: reject nonsense, accept hard paraphrases.

Words decide most of it. Cosines are read by the spread of the index's own texts, so that one rule does for every model
(docs/notes/ranking.md has the figures).
"""

from typing import TypeVar

from searchsocket.stores.base import WordEvidence
from searchsocket.types import Scores, Spread

Cosine = TypeVar("Cosine", float, Scores)

# One page holds this share of the query's words, rare ones counting more: noise shares a frequent word by chance.
MIN_SHARE = 0.6
# Else the site knows this share of its words, one page holds so many of them, and a chunk is this near.
MIN_SHARE_COUNT_AND_NEARNESS = ((0.65, 2, 0.85), (0.5, 3, 1.4), (0.5, 1, 2.5))
# Two words that are both there, but on no page together, are a question where a chunk is this near.
MIN_APART = 1.5
# Meaning alone answers words of the language that the site has not: one of them, and several, which by themselves
# point in several directions.
MIN_ALONE, MIN_TOGETHER = 0.9, 2.6
# A model that reads a text knows what several words mean together: as near as two that are both there.
MIN_READ_TOGETHER = MIN_APART
# So near to one is what is no word of the list of English by which noise is told: `thesaurus`, `umlauts`.
MIN_UNLISTED = 1.9
_LEAST_UNLISTED = 6  # letters
# Code says little of what it is about, so of a question to it fewer words are there.
MIN_SHARE_OF_CODE = 1 / 3

_USUAL = Spread(0.0, 0.17)  # of the built-in model on documentation: for sites of too few texts to tell
_LEAST_WIDTH = 0.02  # texts that say the same make everything near


def nearness(cosine: Cosine, spread: Spread | None) -> Cosine:
    """Cosines as numbers that mean the same for every model: 0 for strangers, 1 for two texts of one site."""
    low, middle = spread or _USUAL
    near: Cosine = (cosine - low) / max(middle - low, _LEAST_WIDTH)
    return near


def is_enough(words: WordEvidence, nearest: float) -> bool:
    """Return True if the words are enough to answer; over the whole scope, because a filter makes no query nonsense.

    Args:
        nearest: Nearness of the nearest chunk.
    """
    return (
        words.share >= MIN_SHARE
        or (words.asked == 2 and words.known == 1 and nearest >= MIN_APART)
        or any(
            words.known >= known and words.count >= count and nearest >= near
            for known, count, near in MIN_SHARE_COUNT_AND_NEARNESS
        )
    )


def is_enough_of_code(words: WordEvidence) -> bool:
    """The same where code is what was found."""
    return words.known >= MIN_SHARE_OF_CODE and words.count > 0


def is_near_enough(words: WordEvidence, nearest: float, *, is_read: bool = False) -> bool:
    """Return True if meaning may answer English words of which the site has none, or one of two.

    Args:
        is_read: Whether the model reads a text as a whole, rather than adding up its words.
    """
    if words.known > 0:
        return is_read and words.asked == 2 and nearest >= MIN_READ_TOGETHER
    together = MIN_READ_TOGETHER if is_read else MIN_TOGETHER
    return nearest >= (MIN_ALONE if words.asked == 1 else together)


def is_near_enough_unlisted(q: str, words: WordEvidence, nearest: float) -> bool:
    """Return True if meaning may answer a single unlisted word, for models that read parts of words."""
    word = q.strip()
    is_long = len(word) >= _LEAST_UNLISTED and word.isalpha()
    return is_long and words.known == 0 and words.asked == 1 and nearest >= MIN_UNLISTED
