"""What is enough to answer."""

import pytest

from searchsocket.search.ranking.relevance import is_enough
from searchsocket.stores.base import WordEvidence


@pytest.mark.parametrize(
    ("share", "known", "count", "cosine", "answered"),
    [
        (1.0, 0.0, 1, -1.0, True),
        (0.6, 0.0, 1, -1.0, True),
        (0.59, 0.65, 2, 0.15, True),  # a question of known words that no page holds together
        (0.59, 0.65, 2, 0.14, False),
        (0.59, 0.65, 1, 0.39, False),  # one frequent word is shared by chance
        (0.3, 0.5, 3, 0.25, True),
        (0.3, 0.5, 3, 0.24, False),
        (0.3, 0.5, 2, 0.39, False),
        (0.3, 0.5, 1, 0.4, True),
        (0.3, 0.49, 9, 1.0, False),  # most of it is foreign to the site
        (0.0, 0.0, 0, 1.0, False),
    ],
)
def test_words_decide_and_meaning_helps(share: float, known: float, count: int, cosine: float, answered: bool) -> None:
    assert is_enough(WordEvidence(share, count, known), cosine) is answered
