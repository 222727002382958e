"""Calls to a slow provider: concurrent callers with the same key share one call, and answers are cached."""

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
    """Runs each call in its own thread, so that a caller may stop waiting; safe to share between threads."""

    def __init__(self, thread_name: str, *, max_answers: int, max_under_way: int) -> None:
        """Start no thread yet.

        Args:
            max_answers: Limit of cached answers; the least recently used one is dropped first.
            max_under_way: Limit of running calls.
        """
        self._thread_name = thread_name
        self._max_answers = max_answers
        self._max_under_way = max_under_way
        self._lock = threading.Lock()
        self._answers: OrderedDict[_Key, _Answer] = OrderedDict()  # the least recently used is first
        self._under_way: dict[_Key, Future[_Answer]] = {}

    def answer_of(self, key: _Key) -> _Answer | None:
        """Return the cached answer; None if there is none."""
        with self._lock:
            if (answer := self._answers.get(key)) is not None:
                self._answers.move_to_end(key)
            return answer

    def remember(self, key: _Key, answer: _Answer) -> None:
        """Cache an answer from another source."""
        with self._lock:
            self._keep(key, answer)

    def joined(
        self, key: _Key, ask: Callable[[], _Answer], refused: Callable[[], _Refusal | None]
    ) -> "Future[_Answer] | _Refusal | None":
        """Return the running call for this key, else start a new one; None if too many calls are running.

        Args:
            ask: Returns the answer; runs in the call's thread. All waiting callers get its error.
            refused: Called before a new call; if it returns a refusal, that is returned instead.
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
        except BaseException as error:  # noqa: BLE001  (the waiting callers get it)
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
