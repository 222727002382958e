"""What is enough to answer."""

import pytest

from searchsocket.search.relevance import is_enough
from searchsocket.stores.base import WordEvidence


@pytest.mark.parametrize(
    ("share", "count", "cosine", "answered"),
    [
        (1.0, 1, -1.0, True),
        (0.6, 1, -1.0, True),
        (0.59, 1, 0.5, True),
        (0.59, 1, 0.49, False),  # one frequent word is shared by chance
        (0.3, 2, 0.35, True),
        (0.3, 2, 0.34, False),
        (0.3, 3, 0.25, True),
        (0.3, 3, 0.24, False),
        (0.0, 0, 1.0, False),
    ],
)
def test_words_decide_and_meaning_helps(share: float, count: int, cosine: float, answered: bool) -> None:
    assert is_enough(WordEvidence(share, count), cosine) is answered
