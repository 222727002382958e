"""Thresholds for an answer."""

import pytest

from searchsocket.search.ranking.confidence import is_enough, is_near_enough, is_near_enough_unlisted, nearness
from searchsocket.stores.base.index_reader import WordEvidence
from searchsocket.types import Spread


@pytest.mark.parametrize(
    ("share", "known", "count", "near", "answered"),
    [
        (1.0, 0.0, 1, -1.0, True),
        (0.6, 0.0, 1, -1.0, True),
        (0.59, 0.65, 2, 0.85, True),  # a question of known words that no page holds together
        (0.59, 0.65, 2, 0.84, False),
        (0.59, 0.65, 1, 2.4, False),  # one frequent word is shared by chance
        (0.3, 0.5, 3, 1.4, True),
        (0.3, 0.5, 3, 1.3, False),
        (0.3, 0.5, 2, 2.4, False),
        (0.3, 0.5, 1, 2.5, True),
        (0.3, 0.49, 9, 5.0, False),  # most of it is foreign to the site
        (0.0, 0.0, 0, 5.0, False),
    ],
)
def test_words_decide_and_meaning_helps(share: float, known: float, count: int, near: float, answered: bool) -> None:
    assert is_enough(WordEvidence(share, count, known), near) is answered


@pytest.mark.parametrize(
    ("share", "word_count", "near", "answered"),
    [(1.0, 2, 1.5, True), (1.0, 2, 1.4, False), (0.5, 2, 2.4, False), (1.0, 3, 2.4, False)],
)
def test_two_words_that_are_there_but_on_no_page_together_are_a_question(
    share: float, word_count: int, near: float, answered: bool
) -> None:
    """More of them are there by chance, in English about something else."""
    assert is_enough(WordEvidence(0.5, 1, share, word_count), near) is answered


@pytest.mark.parametrize(
    ("share", "word_count", "near", "answered"),
    [(0.0, 1, 0.9, True), (0.0, 1, 0.8, False), (0.0, 2, 2.5, False), (0.0, 2, 2.6, True), (0.5, 1, 9.0, False)],
)
def test_meaning_alone_answers_what_the_site_has_no_word_of(
    share: float, word_count: int, near: float, answered: bool
) -> None:
    """Several words point in several directions, so they must be nearer."""
    assert is_near_enough(WordEvidence(0.0, 0, share, word_count), near) is answered


@pytest.mark.parametrize(
    ("share", "word_count", "near", "answered"),
    [
        (0.0, 1, 0.9, True),
        (0.0, 1, 0.8, False),
        (0.0, 2, 1.5, True),
        (0.0, 3, 1.4, False),
        (0.5, 2, 1.5, True),  # the site has one of the two
        (0.5, 2, 1.4, False),
        (0.25, 4, 9.0, False),  # a salad has one word of four
    ],
)
def test_a_model_that_reads_answers_several_words_of_which_the_site_has_none_or_one(
    share: float, word_count: int, near: float, answered: bool
) -> None:
    """The embedding of several words is one direction, not the sum of several."""
    assert is_near_enough(WordEvidence(0.0, 0, share, word_count), near, is_read=True) is answered


@pytest.mark.parametrize(
    ("q", "share", "word_count", "near", "answered"),
    [
        ("thesaurus", 0.0, 1, 1.9, True),
        (" umlauts ", 0.0, 1, 1.9, True),
        ("thesaurus", 0.0, 1, 1.8, False),  # so near is what hands drum on a keyboard, too
        ("dasxl", 0.0, 1, 9.0, False),
        ("0df778c0cccc", 0.0, 1, 9.0, False),
        ("illiterate thesaurus", 0.0, 2, 9.0, False),
        ("thesaurus", 1.0, 1, 9.0, False),
    ],
)
def test_a_model_that_reads_answers_a_word_of_no_list_that_is_very_near(
    q: str, share: float, word_count: int, near: float, answered: bool
) -> None:
    assert is_near_enough_unlisted(q, WordEvidence(0.0, 0, share, word_count), near) is answered


def test_a_cosine_is_read_by_the_spread_of_the_index() -> None:
    """0.8 is near for one model and the distance of strangers for another."""
    wide, narrow = Spread(0.0, 0.2), Spread(0.7, 0.8)
    assert nearness(0.8, wide) == pytest.approx(4.0)
    assert nearness(0.8, narrow) == pytest.approx(1.0)
    assert nearness(0.1, None) == pytest.approx(0.1 / 0.17)  # too few texts to tell
    assert nearness(1.0, Spread(1.0, 1.0)) == 0.0  # texts that are all the same
