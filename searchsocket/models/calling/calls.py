"""Call an embedding provider with bounded concurrency and retries."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from searchsocket.errors import SearchSocketError
from searchsocket.models.calling.call_queue import REAL, Batch, Call, CallQueue, Schedule, Time
from searchsocket.types import Vectors


def answers(
    embed: Callable[[Batch], Vectors],
    batches: Iterable[Batch],
    concurrency: int,
    *,
    wait_s: Callable[[Batch], float] = lambda batch: 0.0,
    passing: Time = REAL,
) -> Generator[tuple[Batch, Vectors]]:
    """Yield each batch with the result of `embed`, as answers arrive; in order if there is one call at a time.

    Batches are read, and results yielded, in the caller's thread. After a failure no more calls are made; results of
    running calls are yielded first.

    Args:
        concurrency: Calls at once; fewer while the provider reports too many. With 1, no thread is started.
        wait_s: Called before a batch is sent. Returns the seconds until the provider accepts it; 0.0 = it is sent now.

    Raises:
        SearchSocketError: The last error of the first call that failed for good.
    """
    queue = CallQueue(batches, wait_s, Schedule(concurrency, passing.jitter), passing)
    if concurrency == 1:
        yield from _one_by_one(embed, queue)
        return
    with ThreadPoolExecutor(concurrency, thread_name_prefix="embed") as pool:
        under_way: dict[Future[Vectors], Call[Batch]] = {}
        while True:
            while (call := queue.next_call(len(under_way))) is not None:
                under_way[pool.submit(embed, call.batch)] = call
            if not under_way:
                if not queue.pause():
                    break
                continue
            for future in wait(under_way, queue.pause_s(len(under_way)), FIRST_COMPLETED).done:
                call = under_way.pop(future)
                if (error := future.exception()) is None:
                    queue.schedule.answered()
                    yield call.batch, future.result()
                else:
                    queue.failed(call, error)
    if queue.failure is not None:
        raise queue.failure


def _one_by_one(embed: Callable[[Batch], Vectors], queue: CallQueue[Batch]) -> Generator[tuple[Batch, Vectors]]:
    while True:
        if (call := queue.next_call(0)) is None:
            if queue.pause():
                continue
            break
        try:
            vectors = embed(call.batch)
        except SearchSocketError as error:
            queue.failed(call, error)
        else:
            queue.schedule.answered()
            yield call.batch, vectors
    if queue.failure is not None:
        raise queue.failure
