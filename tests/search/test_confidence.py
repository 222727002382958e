"""One number for all queries: how likely a result answers."""

import numpy as np

from searchsocket.search.ranking.confidence import WEAK, confidence, features
from searchsocket.stores.base.index_reader import WordEvidence
from searchsocket.types import Scores

WHOLE, SCATTERED = WordEvidence(1.0, 3, 1.0, 3), WordEvidence(0.3, 1, 0.5, 3)


def sure(words: WordEvidence, near: float = 3.0, rank: int = 0, ratio: float = 1.0, exact: float = 0.0) -> float:
    rows: list[Scores] = [np.array([value], np.float64) for value in (near, rank, ratio, exact)]
    (result,) = confidence(features(words, *rows)).tolist()
    assert 0.0 <= result <= 1.0
    return float(result)


def test_more_evidence_makes_more_sure() -> None:
    assert sure(WHOLE) > sure(SCATTERED)
    assert sure(WHOLE, near=3.0) > sure(WHOLE, near=0.5)
    assert sure(WHOLE, exact=1.1) > sure(WHOLE)
    assert sure(WHOLE) > sure(WHOLE, rank=1, ratio=0.9) > sure(WHOLE, rank=5, ratio=0.6)


def test_a_question_about_something_else_is_weak() -> None:
    assert sure(SCATTERED, near=1.0) < WEAK < sure(WHOLE)


def test_without_a_vector_the_words_decide() -> None:
    assert sure(SCATTERED, near=float("nan")) < WEAK < sure(WHOLE, near=float("nan"))
