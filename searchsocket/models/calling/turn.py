"""Lock for embedding: concurrent runs of several scopes would each pay for the texts that they share."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

_POLL_S = 0.5


@contextmanager
def embedding_turn(
    cache: Path, model_id: str, *, is_needed: Callable[[], bool], on_wait: Callable[[], None]
) -> Iterator[None]:
    """Take the lock of one model in one cache; the lock ends with its process.

    Args:
        cache: The file of the embedding cache.
        is_needed: Returns True if texts are still missing. Called while another run has the lock, which may store all
            of them.
        on_wait: Called while waiting; an error that it raises ends the wait.
    """
    name = hashlib.sha256(model_id.encode()).hexdigest()[:12]
    lock = FileLock(f"{cache}.{name}.turn.lock")
    timeout_s = 0.0
    while True:
        try:
            lock.acquire(timeout=timeout_s)
        except Timeout:
            if not is_needed():
                break
            on_wait()
            timeout_s = _POLL_S
        except OSError:  # a disk that is full or without locks: a text may be paid for twice
            break
        else:
            break
    try:
        yield
    finally:
        lock.release()
