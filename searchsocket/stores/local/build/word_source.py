"""The records of a generation that is being built, as their words are written."""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from searchsocket.stores.local.catalogue.packed_texts import READ, TEXT
from searchsocket.stores.words.documents import ROW_OF_NEW, WordRow

_SOURCES = {"sort": "records.sort", TEXT: READ}
_COLUMNS = [_SOURCES.get(name, name) for name in WordRow._fields]


class MergedRecords:
    """Implements `WordSource` on the new records.db."""

    def __init__(self, merge: sqlite3.Connection, last_old: int, *, is_copy: bool) -> None:
        """Read nothing yet.

        Args:
            merge: To the new records, with `live` and `changes` attached where it is a copy.
            last_old: Above it, `doc` numbers are those of new records.
            is_copy: The file was copied and changed; else all of it is new.
        """
        self._merge = merge
        self._last_old = last_old
        self._is_copy = is_copy
        merge.execute("CREATE TEMP TABLE wanted (sort BLOB PRIMARY KEY) WITHOUT ROWID")

    def count(self) -> int:
        """See `WordSource.count`."""
        return int(self._merge.execute("SELECT count(*) FROM records").fetchone()[0])

    def touched(self) -> list[bytes]:
        """See `WordSource.touched`."""
        if not self._is_copy:
            return [path for (path,) in self._merge.execute("SELECT DISTINCT sort FROM records")]
        rows = self._merge.execute(
            "SELECT sort FROM live.records WHERE id IN (SELECT id FROM changes) "
            "UNION SELECT sort FROM changes WHERE slot IS NOT NULL"
        )
        return [path for (path,) in rows]

    def pages(self, paths: Iterable[bytes], *, reads_new_only: bool) -> Iterator[list[WordRow]]:
        """See `WordSource.pages`."""
        read_from = self._last_old if reads_new_only else 0
        columns = [
            f"CASE WHEN doc > {read_from} THEN {source} END" if name in ROW_OF_NEW else source
            for name, source in zip(WordRow._fields, _COLUMNS, strict=True)
        ]
        self._merge.execute("DELETE FROM wanted")
        self._merge.executemany("INSERT INTO wanted VALUES (?)", ((path,) for path in paths))
        rows = self._merge.execute(
            f"SELECT {', '.join(columns)} FROM wanted CROSS JOIN records ON records.sort = wanted.sort "
            "ORDER BY wanted.sort, ordinal, id"
        )
        for _, page in groupby(map(WordRow._make, rows), key=attrgetter("sort")):
            yield list(page)
