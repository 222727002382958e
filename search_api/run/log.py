"""The server's log about callers: lines have a time, and each kind of line appears at most once per minute."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator

_LOGGERS = ("uvicorn.error", "searchsocket.api")
_PAUSE_S = 60.0


class OnceAMinute(logging.Filter):
    """Lets a line pass once a minute, and says with the next one how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[
            str, tuple[float, int]
        ] = {}  # by the line without its values: when it passed, and left out since

    def filter(self, record: logging.LogRecord) -> bool:
        line, now = str(record.msg), self._clock()
        passed, left_out = self._seen.get(line, (now - _PAUSE_S, 0))
        if now < passed + _PAUSE_S:
            self._seen[line] = passed, left_out + 1
            return False
        self._seen[line] = now, 0
        if left_out:
            record.msg = f"{line} ({left_out} more like this in between)"
        return True


@contextlib.contextmanager
def calm_log() -> Iterator[None]:
    """Hold the server's lines to that; where nobody handles them they go to stderr."""
    once = OnceAMinute()
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.setLevel(logging.WARNING)
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    own = [logger for logger in loggers if not logger.hasHandlers()]
    for logger in loggers:
        logger.addFilter(once)
    for logger in own:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)
        for logger in own:
            logger.removeHandler(handler)
