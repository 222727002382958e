"""When a run may be interrupted: at any moment before the switch, and at none from there to the end of its stage."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from searchsocket.errors import Interrupted
from searchsocket.pipeline.run.context import ScopeRun

_ENDING = (signal.SIGINT, signal.SIGTERM)


def stop_if_told(run: ScopeRun) -> None:
    """Ask the run's owner whether it is still wanted.

    Raises:
        Interrupted: It is not.
    """
    if run.should_stop():
        raise Interrupted(f"the run of scope {run.scope.name!r} was stopped before it published anything")


@contextmanager
def uninterrupted(run: ScopeRun) -> Iterator[None]:
    """Finish what follows whatever signal comes: half of it would leave a run that published and says that it failed.

    Raises:
        Interrupted: The run was told to stop before.
    """
    if threading.current_thread() is not threading.main_thread():  # signals are handled in the main thread alone
        stop_if_told(run)
        yield
        return
    before = {number: signal.signal(number, _wait) for number in _ENDING}
    try:
        stop_if_told(run)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: not from Python


def _wait(number: int, _: object) -> None:
    """Let the run finish. The result tells the sender of the signal, because the run has already published."""
