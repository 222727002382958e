"""Calls to a slow provider that whoever asks for the same thing at a time shares, and answers that are remembered."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

_Key = TypeVar("_Key", bound=Hashable)
_Answer = TypeVar("_Answer")
_Refusal = TypeVar("_Refusal")


class SharedCalls(Generic[_Key, _Answer]):
    """Each call runs in a thread of its own, so that a caller may stop waiting; safe to share between threads."""

    def __init__(self, thread_name: str, *, max_answers: int, max_under_way: int) -> None:
        """Nothing is started.

        Args:
            max_answers: Answers that are remembered; the one that was used longest ago goes first.
            max_under_way: Calls that are not answered yet.
        """
        self._thread_name = thread_name
        self._max_answers = max_answers
        self._max_under_way = max_under_way
        self._lock = threading.Lock()
        self._answers: OrderedDict[_Key, _Answer] = OrderedDict()  # the one that was used longest ago is first
        self._under_way: dict[_Key, Future[_Answer]] = {}

    def answer_of(self, key: _Key) -> _Answer | None:
        """The answer, where it is remembered."""
        with self._lock:
            if (answer := self._answers.get(key)) is not None:
                self._answers.move_to_end(key)
            return answer

    def remember(self, key: _Key, answer: _Answer) -> None:
        """Keep an answer that came another way."""
        with self._lock:
            self._keep(key, answer)

    def joined(
        self, key: _Key, ask: Callable[[], _Answer], refused: Callable[[], _Refusal | None]
    ) -> "Future[_Answer] | _Refusal | None":
        """The call for this key that is under way, else a new one; None where too many are.

        Args:
            ask: Gives the answer; runs in the call's thread, and its error is everybody's who waits.
            refused: Asked before a new call is made; what it returns is returned instead.
        """
        with self._lock:
            call = self._under_way.get(key)
            if call is not None:
                return call
            if len(self._under_way) >= self._max_under_way:
                return None
            if (refusal := refused()) is not None:
                return refusal
            call = self._under_way[key] = _future()
        # A daemon, so that a provider that never answers keeps no process alive.
        threading.Thread(target=self._run, args=(key, ask, call), name=self._thread_name, daemon=True).start()
        return call

    def _run(self, key: _Key, ask: Callable[[], _Answer], call: "Future[_Answer]") -> None:
        try:
            answer = ask()
        except BaseException as error:  # noqa: BLE001  (handed to whoever waits)
            with self._lock:
                del self._under_way[key]
            call.set_exception(error)
        else:
            with self._lock:
                self._keep(key, answer)
                del self._under_way[key]
            call.set_result(answer)

    def _keep(self, key: _Key, answer: _Answer) -> None:
        self._answers[key] = answer
        if len(self._answers) > self._max_answers:
            self._answers.popitem(last=False)


def _future() -> "Future[_Answer]":
    from concurrent.futures import Future  # loads logging, which a model on this machine does not need

    return Future()
