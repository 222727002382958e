"""Conditions to index a build again."""

from hypothesis import given
from hypothesis import strategies as st

from searchsocket.pipeline.branches.builds import Attempt, is_due, pause_s

MINUTE, HOUR = 60.0, 3600.0


def failed(*ended_at: float) -> list[Attempt]:
    return [Attempt("new", failed=True, ended_at=at) for at in ended_at]


def test_a_new_build_is_indexed_once() -> None:
    assert is_due("new", [], 0)
    assert is_due("new", [Attempt("old", failed=False, ended_at=0)], 0)
    assert not is_due("new", [Attempt("new", failed=False, ended_at=0)], 1000 * HOUR)


def test_a_build_that_comes_back_is_indexed_again() -> None:
    """As after a revert: what is live is of the build between."""
    attempts = [Attempt("other", failed=False, ended_at=2), Attempt("new", failed=False, ended_at=1)]
    assert is_due("new", attempts, 3)


def test_a_failed_build_is_tried_after_growing_pauses() -> None:
    assert not is_due("new", failed(0), MINUTE - 1)
    assert is_due("new", failed(0), MINUTE)
    assert not is_due("new", failed(0, -MINUTE), 4 * MINUTE - 1)
    assert is_due("new", failed(0, -MINUTE), 4 * MINUTE)
    assert pause_s(20) == 6 * HOUR


def test_it_is_not_tried_while_a_run_of_it_goes_on() -> None:
    assert not is_due("new", [Attempt("new", failed=False, ended_at=0), *failed(0)], HOUR)


@given(st.integers(1, 500))
def test_pauses_never_shrink(failures: int) -> None:
    assert pause_s(failures) <= pause_s(failures + 1) <= 6 * HOUR
