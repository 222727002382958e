"""Whose turn it is to embed: runs of several scopes at once would each pay for the texts that they share."""

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
    """Embed while nobody else does with the same model into the same cache; the turn ends with its process.

    Args:
        cache: The file of the embedding cache.
        is_needed: Whether there still is a text to embed, asked while another run has the turn: what that one stores,
            nobody needs to wait for.
        on_wait: Called while waiting; may raise, which ends the wait.
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
        except OSError:  # a disk without locks, or one that is full: then a text may be paid for twice
            break
        else:
            break
    try:
        yield
    finally:
        lock.release()
