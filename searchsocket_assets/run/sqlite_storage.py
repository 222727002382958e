"""What Dagster's SQLite storage does not do by itself: open any path, and keep its complaints off the console.

With `runs` the only file that touches private parts of Dagster.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.runs.sqlite import sqlite_run_storage
from dagster._core.storage.schedules.sqlite import sqlite_schedule_storage

_CODES = {"%": "%25", "?": "%3F"}
_NOISE = "Exception while writing logger call to event log"  # followed by the whole statement in SQL


def quote_paths() -> None:
    """Let this process's Dagster open databases under any path."""
    for module in (sqlite_run_storage, sqlite_event_log, sqlite_schedule_storage):
        module.create_db_conn_string = _url  # type: ignore[attr-defined]


def _url(base_dir: str, db_name: str) -> str:
    path = (Path(base_dir).absolute() / f"{db_name}.db").as_posix()
    return "sqlite:///" + "".join(_CODES.get(sign, sign) for sign in path)


@contextmanager
def without_storage_noise() -> Iterator[None]:
    """Drop what Dagster prints of log lines that it could not store; the error that matters ends the run."""
    with redirect_stderr(_Filter(sys.stderr)):
        yield


class _Filter:
    """A text stream without the noise."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text) if text.startswith(_NOISE) else int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
