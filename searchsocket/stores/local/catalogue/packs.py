"""The packs of a generation, open for reading: records by number, from all files."""

import json
import sqlite3
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from searchsocket.stores.local.catalogue.records import connect_records
from searchsocket.stores.local.layout import NamingDamage, records_file
from searchsocket.stores.local.numbering import Numbering

_VALUES = "(SELECT value FROM json_each(?))"  # one statement for any number of values: SQLite parses it once


class Packs:
    """The open packs of a generation. Safe to share between threads."""

    def __init__(self, folder: Path, names: Sequence[str], numbering: Numbering) -> None:
        """Open the files.

        Raises:
            IndexCorrupt: One is damaged.
        """
        self._folder, self._names, self._numbering = folder, names, numbering
        self._lock = threading.Lock()
        self._damage: list[NamingDamage] = []
        self._connections: list[sqlite3.Connection] = []
        for name in names:
            path = folder / records_file(name)
            self._damage.append(damage := NamingDamage(path))
            with damage:
                self._connections.append(connection := connect_records(path))
            # Otherwise the connection keeps a deleted file open until the garbage collector runs.
            weakref.finalize(self, connection.close)

    def __reduce__(self) -> tuple[type[Self], tuple[Path, Sequence[str], Numbering]]:
        """Pickle the arguments only: another process opens the files itself."""
        return type(self), (self._folder, self._names, self._numbering)

    def select(self, columns: str, docs: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Columns of the named records, by doc.

        Raises:
            IndexCorrupt: A file is damaged, or lacks one of them.
        """
        by_pack: dict[int, list[int]] = {}
        for doc, pack in zip(docs, self._numbering.packs_of_docs(docs), strict=True):
            by_pack.setdefault(pack, []).append(doc)
        rows: dict[int, tuple[Any, ...]] = {}
        for pack, some in by_pack.items():
            with self._damage[pack]:
                selected = self._select(pack, columns, some)
                rows |= {doc: selected[doc] for doc in some}
        return rows

    def _select(self, pack: int, columns: str, docs: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        sql = f"SELECT doc, {columns} FROM records WHERE doc IN {_VALUES}"
        with self._lock:
            rows = self._connections[pack].execute(sql, (json.dumps(docs),)).fetchall()
        return {doc: row for doc, *row in rows}
