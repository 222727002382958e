"""Interrupting a run: possible at any time before the switch to a new generation, not from there to the stage's end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from searchsocket.errors import Interrupted
from searchsocket.pipeline.run.context import ScopeRun

_ENDING = (signal.SIGINT, signal.SIGTERM)


def raise_if_stopped(run: ScopeRun) -> None:
    """Raise `Interrupted` if the owner of the run asked to stop it.

    Raises:
        Interrupted: The run was stopped.
    """
    if run.should_stop():
        raise Interrupted(f"the run of scope {run.scope.name!r} was stopped before it published anything")


@contextmanager
def uninterrupted(run: ScopeRun) -> Iterator[None]:
    """Defer signals for the duration of the block; a half-finished publication would be reported as failed.

    Raises:
        Interrupted: The run was stopped before the block.
    """
    if threading.current_thread() is not threading.main_thread():  # only the main thread handles signals
        raise_if_stopped(run)
        yield
        return
    before = {number: signal.signal(number, _wait) for number in _ENDING}
    try:
        raise_if_stopped(run)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: the handler was not installed by Python


def _wait(number: int, _: object) -> None:
    """Ignore the signal: the run has already published, and its result tells the sender."""
