"""Calls of an embedder: several under way where it is far away, each tried again where that may help."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

import tenacity

from searchsocket.errors import SearchSocketError
from searchsocket.types import Vectors

Pause = Callable[[float, Event], None]  # seconds, and what ends it sooner
Batch = TypeVar("Batch")

_ATTEMPTS = 8  # within about a minute, as long as a provider takes to start anew
_MAX_PAUSE_S = 120.0  # who asks for a longer one is not waited for
_backoff = tenacity.wait_exponential(multiplier=0.5, max=20)


def pause(seconds: float, ended: Event) -> None:
    ended.wait(seconds)


def answers(
    embed: Callable[[Batch], Vectors], batches: Iterable[Batch], concurrency: int, pause: Pause = pause
) -> Generator[tuple[Batch, Vectors]]:
    """Each batch with what `embed` made of it, as they arrive; with one call at a time in their order.

    Batches are taken, and results handed over, in the caller's thread. After a failure nothing more is sent; what is
    under way is handed over first.

    Args:
        concurrency: Calls under way at once; with 1 no thread is made.

    Raises:
        SearchSocketError: What `embed` raised at last; the first one where several did.
    """
    ended = Event()
    attempts = _attempts(ended, pause)
    if concurrency == 1:
        for batch in batches:
            yield batch, attempts(embed, batch)
        return
    waiting = iter(batches)
    under_way: dict[Future[Vectors], Batch] = {}
    failure: BaseException | None = None
    with ThreadPoolExecutor(concurrency, thread_name_prefix="embed") as pool:
        try:
            while True:
                while failure is None and len(under_way) < concurrency:
                    upcoming = next(waiting, None)
                    if upcoming is None:
                        break
                    under_way[pool.submit(attempts, embed, upcoming)] = upcoming
                if not under_way:
                    break
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    batch = under_way.pop(future)
                    if (error := future.exception()) is None:
                        yield batch, future.result()
                        continue
                    failure = failure or error
                    ended.set()  # the others make no further attempt
        finally:
            ended.set()
    if failure is not None:
        raise failure


def _attempts(ended: Event, pause: Pause) -> tenacity.Retrying:
    return tenacity.Retrying(
        retry=tenacity.retry_if_exception(_may_pass),
        stop=tenacity.stop_after_attempt(_ATTEMPTS) | tenacity.stop_when_event_set(ended),
        wait=_pause_s,
        sleep=lambda seconds: pause(seconds, ended),
        reraise=True,
    )


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, SearchSocketError) and error.retryable and (_stated_s(error) or 0.0) <= _MAX_PAUSE_S


def _pause_s(state: tenacity.RetryCallState) -> float:
    """What the provider asks for, else twice as long as before."""
    stated = _stated_s(state.outcome.exception() if state.outcome else None)
    return _backoff(state) if stated is None else stated


def _stated_s(error: BaseException | None) -> float | None:
    stated: float | None = getattr(error, "retry_after_s", None)
    return stated
