"""Decide if a run would find any work, before loading anything that a run needs.

Imports the standard library alone, and takes no lock: who is not sure lets the run decide.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from searchsocket.pipeline.unchanged.environment import digest
from searchsocket.pipeline.unchanged.record import FOLDER, Record, read_record, record_path, written
from searchsocket.pipeline.unchanged.stamps import file_clock_ns
from searchsocket.pipeline.unchanged.state_dir import state_dir_of


def unchanged_since(
    root: str, asked: str | None, environ: Mapping[str, str], *, now_ns: int, checked_at: str, corpus: str = ""
) -> Record | None:
    """The last run of the scope where nothing that it read or left has changed since; None = a run must look.

    The record then says that it was checked.

    Args:
        root: The project.
        asked: The scope that the command named; None = as configured.
        now_ns: The clock.
        checked_at: The same for people, ISO 8601.
        corpus: The folder in the state that holds its own; "" = the site's.
    """
    root = os.path.realpath(root)
    path = record_path(os.path.join(state_dir_of(root, environ), corpus), asked)
    record = read_record(path)
    if record is None:
        return None
    try:
        still = record.still(root, digest(environ), file_clock_ns(os.path.dirname(path), now_ns))  # noqa: PTH120
        if still is None:
            return None
        still = replace(still, checked_at=checked_at)
        _write(path, written(still))
    except OSError:
        return None  # who may not read or write something is told so by the run
    return still


def last_checked(state_dir: str, scope: str, generation: str) -> str:
    """When it was last found that nothing changed since a run after which a generation was live; "" = never."""
    records = (record for _, record in _records(state_dir) if record and record.scope == scope)
    return max((record.checked_at for record in records if record.summary["generation"] == generation), default="")


def drop_records(state_dir: str, scope: str) -> None:
    """Forget the last run of a scope: another one begins, of which only success makes a new record.

    Raises:
        OSError: One cannot be deleted.
    """
    for path, record in _records(state_dir):
        if record is None or record.scope == scope:
            with suppress(FileNotFoundError):
                os.unlink(path)  # noqa: PTH108


def _records(state_dir: str) -> list[tuple[str, Record | None]]:
    folder = os.path.join(state_dir, FOLDER)
    try:
        paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]  # noqa: PTH208
    except OSError:
        return []
    return [(path, read_record(path)) for path in paths]


def _write(path: str, data: bytes) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise
