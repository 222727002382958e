"""records.db of one generation, open for queries: what is asked for again stays in memory."""

import json
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from searchsocket.stores.base import ReadableRecord
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.catalogue.columns import record_of
from searchsocket.stores.local.catalogue.hashes import as_text
from searchsocket.stores.local.catalogue.packed_texts import READ
from searchsocket.stores.local.catalogue.records import (
    PATH_ORDER,
    READ_FIELDS,
    READ_KEPT,
    SAID_BY_PAGE,
    connect_records,
    path_key,
    readable_of,
)
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Record

_MAX_SEEN = 12_500  # records that stay in memory, about 55 MB: reading one costs as much as ranking it
_MAX_TEXTS = 8_192  # texts alone, under 10 MB: a query that names something asks those of all its candidates
_READ_AHEAD = 100  # records at a time: queries take turns with whoever reads ahead
_GIVEN = "(SELECT value FROM json_each(?))"  # one statement for any number of values: SQLite parses it once


class RecordFile:
    """The records by `doc` number; safe to share between threads."""

    def __init__(self, path: Path, generation: Generation) -> None:
        self._damage = NamingDamage(path)
        self._generation = generation
        self._lock = threading.Lock()
        with self._damage:
            self._connection = connect_records(path)
        # By itself a connection waits for the garbage collector, and holds a file that may be deleted.
        weakref.finalize(self, self._connection.close)
        self._seen = BoundedCache[int, ReadableRecord](_MAX_SEEN)
        self._texts = BoundedCache[int, str](_MAX_TEXTS)

    def readable(self, docs: Sequence[int]) -> list[ReadableRecord]:
        """The named records, in the order of `docs`."""
        known = self._seen.values
        unknown = [doc for doc in dict.fromkeys(docs) if doc not in known]
        if not unknown:
            return [known[doc] for doc in docs]
        rows = self._all(f"SELECT doc, {READ_KEPT} FROM records WHERE doc IN {_GIVEN}", json.dumps(unknown))
        with self._damage:
            found = {row[0]: readable_of(row[1:], self._generation) for row in rows}
            found_in_order = [found[doc] if doc in found else known[doc] for doc in docs]
        self._seen.remember(found)
        return found_in_order

    def read_ahead(self, docs: Sequence[int]) -> None:
        """Have all records in memory, where they are few enough to stay there; raises what `readable` does."""
        if len(docs) > self._seen.limit:
            return
        known = self._seen.values
        for some in batches([doc for doc in docs if doc not in known], _READ_AHEAD):
            self.readable(some)

    def take_over(self, before: "RecordFile") -> None:
        """Know what the file of the generation before this one had in memory and that is the same here.

        Raises:
            IndexCorrupt: The file is damaged.
        """
        seen = before._seen.values.copy()  # queries of that one go on
        hashes = self._all(f"SELECT doc, record_hash FROM records WHERE doc IN {_GIVEN}", json.dumps(list(seen)))
        same = {doc: seen[doc] for doc, held in hashes if seen[doc].record.record_hash == as_text(held)}
        self._seen.remember(same)

    def texts(self, docs: Sequence[int]) -> list[str]:
        """The text of each named record."""
        seen, known = self._seen.values, self._texts.values
        if all(doc in seen for doc in docs):
            return [seen[doc].record.chunk.body.text for doc in docs]
        unknown = [doc for doc in docs if doc not in known]
        if not unknown:
            return [known[doc] for doc in docs]
        rows = self._all(f"SELECT doc, {READ} FROM records WHERE doc IN {_GIVEN}", json.dumps(unknown))
        with self._damage:
            found = dict(rows)
            found_in_order = [found[doc] if doc in found else known[doc] for doc in docs]
        self._texts.remember(found)
        return found_in_order

    def of_page(self, url: str) -> list[Record]:
        """The records of a page, by ordinal."""
        rows = self._all(f"SELECT {READ_FIELDS} FROM records WHERE sort = ? ORDER BY ordinal, id", path_key(url))
        with self._damage:
            return [record_of(row, self._generation) for row in rows]

    def said(self, url: str) -> str:
        """What the records of a page say, as `SAID_BY_PAGE` puts it."""
        return "\n".join(text for (text,) in self._all(SAID_BY_PAGE, path_key(url)))

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """The next (id, record_hash) pairs behind the id `after`, in rising order of id."""
        rows = self._all(f"SELECT id, record_hash FROM records WHERE id > ? ORDER BY id LIMIT {int(limit)}", after)
        return [(id_, as_text(held)) for id_, held in rows]

    def hashes(self, ids: Sequence[str]) -> dict[str, str]:
        """The record hash of each named record that is there."""
        rows = self._all(f"SELECT id, record_hash FROM records WHERE id IN {_GIVEN}", json.dumps(ids))
        return {id_: as_text(held) for id_, held in rows}

    def first_from(self, key: bytes) -> int | None:
        """The first record whose path is `key` or sorts behind it."""
        found = self._all(f"SELECT doc FROM records WHERE sort >= ? ORDER BY {PATH_ORDER} LIMIT 1", key)
        return found[0][0] if found else None

    def tagged(self, tag: str) -> list[int]:
        """The records that carry a tag, in no order."""
        return [row[0] for row in self._all("SELECT doc FROM tags WHERE tag = ?", tag)]

    def _all(self, sql: str, *values: str | bytes) -> list[tuple[Any, ...]]:
        """All rows of a statement.

        Raises:
            IndexCorrupt: The file is damaged.
        """
        with self._damage, self._lock:
            return self._connection.execute(sql, values).fetchall()
