"""Log of a running server, as text or JSON, with repeated lines limited."""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from searchsocket.system.json_text import json_line

_LOGGERS = ("uvicorn.error", "searchsocket.api")
_PAUSE_S = 60.0


class OnceAMinute(logging.Filter):
    """Passes a line once per minute; the next line states how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        # By the line without its values: time of the last line, and the number left out since.
        self._seen: dict[str, tuple[float, int]] = {}

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


class JsonFormatter(logging.Formatter):
    """Formats a record as `json_line` does."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC)
        return json_line(record.levelname.lower(), {"message": record.getMessage()}, time)


@contextlib.contextmanager
def server_log(*, json_lines: bool = False) -> Iterator[None]:
    """Write warnings of the server, each kind once per minute; to stderr unless another handler is set."""
    once = OnceAMinute()
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if json_lines else logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
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
