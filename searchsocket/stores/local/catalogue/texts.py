"""Texts that the generations of an index contain."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.stores.local.catalogue.hashes import as_text
from searchsocket.stores.local.catalogue.records import connect_reader
from searchsocket.stores.local.layout import ORDER, PACKS, REFUSED, corrupt, read_current
from searchsocket.system.errors import system_error

_OLDER = "records.db"  # held all records of a generation, up to format 25


def generation_texts(index: Path) -> Iterator[str]:
    """The content hash of every record of the live, the previous and the refused generation of every scope.

    Generations of older formats are read too. Nothing is written.

    Raises:
        IndexCorrupt: One is damaged or missing.
        VectorBackendUnavailable: The folder cannot be read; `PermissionDenied` where it is another user's.
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
    if not files:  # of an older format: a damaged one has none of either
        yield from _of_file(generation / _OLDER, None)
        return
    docs = frozenset(np.fromfile(generation / ORDER, np.uint32).tolist())
    for path in files:
        yield from _of_file(path, docs)


def _of_file(path: Path, docs: frozenset[int] | None) -> Iterator[str]:
    """Args: docs: the records to look at, None = all."""
    try:
        with closing(connect_reader(path)) as db:
            for doc, text in db.execute("SELECT doc, content_hash FROM records"):
                if docs is None or doc in docs:
                    yield as_text(text)
    except sqlite3.Error as error:
        raise corrupt(path, f"cannot be read ({error})") from error
