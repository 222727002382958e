"""Calls that are shared: one for all who ask at a time, few at a time, and the best-used answers remembered."""

import threading
from concurrent.futures import Future

import pytest

from searchsocket.models.calling.shared_calls import SharedCalls


@pytest.fixture
def calls() -> SharedCalls[str, str]:
    return SharedCalls("shared-call", max_answers=2, max_under_way=2)


def _nothing() -> None:
    return None


def _future(joined: Future[str] | None) -> Future[str]:
    assert isinstance(joined, Future)
    return joined


def test_all_who_ask_meanwhile_share_one_call_and_it_is_remembered(calls: SharedCalls[str, str]) -> None:
    requests, may_answer = list[str](), threading.Event()

    def ask() -> str:
        requests.append("a")
        may_answer.wait()
        return "answer"

    first, second = _future(calls.joined("a", ask, _nothing)), _future(calls.joined("a", ask, _nothing))
    assert first is second
    assert calls.answer_of("a") is None
    may_answer.set()
    assert first.result() == "answer"
    assert requests == ["a"]
    assert calls.answer_of("a") == "answer"


def test_more_calls_than_may_be_under_way_are_not_made(calls: SharedCalls[str, str]) -> None:
    may_answer = threading.Event()
    under_way = [_future(calls.joined(key, lambda: str(may_answer.wait()), _nothing)) for key in "ab"]
    assert calls.joined("c", lambda: "c", _nothing) is None
    may_answer.set()
    assert [call.result() for call in under_way] == ["True", "True"]
    assert _future(calls.joined("c", lambda: "c", _nothing)).result() == "c"


def test_a_refused_call_is_not_made(calls: SharedCalls[str, str]) -> None:
    assert calls.joined("a", pytest.fail, lambda: "too dear") == "too dear"


def test_an_error_is_everybodys_who_waits_and_is_not_remembered(calls: SharedCalls[str, str]) -> None:
    def fail() -> str:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        _future(calls.joined("a", fail, _nothing)).result()
    assert _future(calls.joined("a", lambda: "back", _nothing)).result() == "back"


def test_the_answer_that_was_used_longest_ago_is_forgotten(calls: SharedCalls[str, str]) -> None:
    calls.remember("a", "1")
    calls.remember("b", "2")
    assert calls.answer_of("a") == "1"
    calls.remember("c", "3")
    assert (calls.answer_of("a"), calls.answer_of("b"), calls.answer_of("c")) == ("1", None, "3")
