"""What is enough to answer."""

import time

import pytest

from searchsocket.search.relevance import Evidence, coverage, is_enough

TEXT = "Installing the controller takes five minutes. Run `gr install --dry-run` first, then bind it with v-bind."


@pytest.mark.parametrize(
    ("q", "share"),
    [
        ("install controller", 1.0),
        ("the installation", 1.0),
        ("best pizza with controller", 1 / 3),
        ("contrller", 0.5),
        ("controlllers minutes", 0.75),
        ("v-bindd", 0.5),
        ("contr", 1.0),
        ("contr zebra", 0.0),
        ("--dry-run", 1.0),
        ("the", 1.0),
        ("zebra", 0.0),
        ("cat", 0.0),
        ("?!", 0.0),
        ("日本", 0.0),
    ],
)
def test_words_that_a_text_holds_are_counted(q: str, share: float) -> None:
    assert coverage(q, ["Nothing of that.", TEXT]) == pytest.approx(share)


def test_words_must_stand_together() -> None:
    """Two chunks with one word each are less than one chunk with both."""
    assert coverage("alpha beta", ["alpha", "beta"]) == 0.5
    assert coverage("alpha beta", []) == 0.0


def test_either_meaning_or_words_will_do() -> None:
    assert is_enough(Evidence(0.3, 0.0))
    assert is_enough(Evidence(-1.0, 0.5))
    assert not is_enough(Evidence(0.29, 0.49))


def test_hostile_texts_cost_little() -> None:
    began = time.process_time()
    coverage("abcdefgh " * 100, ["a" * 200_000, " ".join(f"a{n:07}" for n in range(5_000))])
    assert time.process_time() - began < 5
