"""Whether what was found is worth showing: nonsense must get no answer, a hard paraphrase must get one.

The words decide most of it, so one rule does for all models, whose cosines lie apart (docs/ranking.md has the figures).
"""

from searchsocket.stores.base import WordEvidence

# One page holds this share of the query's words, rare ones counting more: noise shares a frequent word by chance.
MIN_SHARE = 0.6
# Else the site knows this share of its words, one page holds so many of them, and a chunk is this near.
MIN_KNOWN_COUNT_AND_COSINE = ((0.65, 2, 0.15), (0.5, 3, 0.25), (0.5, 1, 0.4))


def is_enough(words: WordEvidence, best_cosine: float) -> bool:
    """Whether the query may be answered at all; over the whole scope, since a filter makes no query nonsense."""
    return words.share >= MIN_SHARE or any(
        words.known >= known and words.count >= count and best_cosine >= cosine
        for known, count, cosine in MIN_KNOWN_COUNT_AND_COSINE
    )
