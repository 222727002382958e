"""Texts that the generations of an index contain."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.stores.local.catalogue.columns import as_text
from searchsocket.stores.local.catalogue.records import connect_reader
from searchsocket.stores.local.layout import PACKS, REFUSED, ROWS, corrupt, read_current
from searchsocket.system.arrays import load_arrays
from searchsocket.system.errors import system_error

_OLDER = "records.db"  # all records of a generation, up to format 25
_OLDER_ROWS = "order.u32"  # the `doc` number of each row, up to format 28


def generation_texts(index: Path) -> Iterator[str]:
    """The content hash of every record of the live, the previous and the refused generation of every scope.

    Generations of older formats are read too. Nothing is written.

    Raises:
        IndexCorrupt: One is damaged or missing.
        VectorBackendUnavailable: The folder cannot be read; `PermissionDenied` if this user may not read it.
    """
    try:
        folders = sorted(path for path in index.iterdir() if path.is_dir() and not path.name.startswith("."))
    except FileNotFoundError:
        return
    except OSError as error:
        raise system_error("cannot read", index, error, VectorBackendUnavailable) from error
    for folder in folders:
        current = read_current(folder)
        names = [name for name in (current.live, current.previous) if name] if current else []
        if (folder / REFUSED).is_dir():
            names.append(REFUSED)
        for name in names:
            yield from _texts(folder / name)


def _texts(generation: Path) -> Iterator[str]:
    files = sorted((generation / PACKS).glob("*.db"))
    if not files:  # an older format, or a damaged generation without either
        yield from _of_file(generation / _OLDER, None)
        return
    docs = frozenset(_docs(generation))
    for path in files:
        yield from _of_file(path, docs)


def _docs(generation: Path) -> list[int]:
    if (older := generation / _OLDER_ROWS).exists():
        rows: list[int] = np.fromfile(older, np.uint32).tolist()
        return rows
    try:
        blocks = [load_arrays(path.read_bytes()) for path in (generation / ROWS).iterdir()]
        # Blocks of ids, from format 30 on, have no fields.
        return [doc for block in blocks if block.dtype.names for doc in block["doc"].tolist()]
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise corrupt(generation / ROWS, f"cannot be read ({error})") from error


def _of_file(path: Path, docs: frozenset[int] | None) -> Iterator[str]:
    """Args: docs: the records to look at, None = all."""
    try:
        with closing(connect_reader(path)) as db:
            for doc, text in db.execute("SELECT doc, content_hash FROM records"):
                if docs is None or doc in docs:
                    yield as_text(text)
    except sqlite3.Error as error:
        raise corrupt(path, f"cannot be read ({error})") from error
