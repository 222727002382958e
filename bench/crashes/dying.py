"""Count the steps by which a process changes its state directory, and die before one of them."""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

_FILE_EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def watch(state_dir: Path, on_step: Callable[[str], None]) -> None:
    """Call `on_step` with a label before each step of this process that writes below `state_dir`.

    Steps are: a file opened for writing, renamed, removed, linked or synced, a folder made or removed, and each
    statement of SQLite that writes. What an engine writes by itself is between two steps.
    """
    prefix = f"{state_dir}{os.sep}"

    def on_event(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _FILE_EVENTS:
            if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & _WRITING):
                return
            target = arguments[1] if event == "os.rename" else arguments[0]
            path = "" if isinstance(target, int) else os.fspath(target or "")  # an open file's number: a pipe, say
            if isinstance(path, str) and path.startswith(prefix):
                on_step(f"{event.removeprefix('os.')} {_place(path[len(prefix) :])}")

    sys.addaudithook(on_event)
    sync = os.fsync

    def fsync(file: Any) -> None:
        path = str(Path(f"/proc/self/fd/{file if isinstance(file, int) else file.fileno()}").readlink())
        if path.startswith(prefix):
            on_step(f"fsync {_place(path[len(prefix) :])}")
        sync(file)

    def connect(database: Any, *arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = open_database(database, *arguments, **options)
        path = unquote(str(database).removeprefix("file://").split("?")[0])
        if path.startswith(prefix):
            _trace(connection, _place(path[len(prefix) :]), on_step)
        return connection

    open_database = sqlite3.connect
    os.fsync, sqlite3.connect = fsync, connect  # type: ignore[assignment]


def _trace(connection: sqlite3.Connection, place: str, on_step: Callable[[str], None]) -> None:
    def on_statement(sql: str) -> None:
        word = sql.split(None, 1)[0].upper() if sql.strip() else ""
        if word not in ("SELECT", "PRAGMA", "--", ""):
            on_step(f"{word} {place}")

    connection.set_trace_callback(on_statement)


def _place(path: str) -> str:
    """A path without what differs from run to run: `index/main/.building-0123/ids.bin` is `ids.bin`."""
    parts = Path(path).parts
    name = parts[-1]
    if parts[0] == "pages":
        return "mirror"
    if name.startswith((".tmp-", ".building-", ".removed-")):
        return name.split("-")[0]
    if name[:8].isdigit() and name[8:9] == "T":
        return "generation"
    return f"words/*{Path(name).suffix}" if "words" in parts[:-1] else name


def die() -> None:
    """Like a power cut for the process: no handler, no cleaning up."""
    os.kill(os.getpid(), signal.SIGKILL)
