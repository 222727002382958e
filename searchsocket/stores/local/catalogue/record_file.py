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
    PAGE_TEXTS,
    PATH_ORDER,
    READ_FIELDS,
    READ_RECORD,
    connect_records,
    path_key,
    readable_of,
)
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Record

_MAX_CACHED = 12_500  # records that stay in memory, about 55 MB: reading one costs as much as ranking it
_MAX_TEXTS = 8_192  # texts alone, under 10 MB: a query that names something asks those of all its candidates
_READ_AHEAD = 100  # records at a time: queries take turns with whoever reads ahead
_VALUES = "(SELECT value FROM json_each(?))"  # one statement for any number of values: SQLite parses it once


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
        self._cache = BoundedCache[int, ReadableRecord](_MAX_CACHED)
        self._texts = BoundedCache[int, str](_MAX_TEXTS)

    def readable(self, docs: Sequence[int]) -> list[ReadableRecord]:
        """The named records, in the order of `docs`."""
        cached = self._cache.values
        missing = [doc for doc in dict.fromkeys(docs) if doc not in cached]
        if not missing:
            return [cached[doc] for doc in docs]
        rows = self._all(f"SELECT doc, {READ_RECORD} FROM records WHERE doc IN {_VALUES}", json.dumps(missing))
        with self._damage:
            rows_by_doc = {row[0]: readable_of(row[1:], self._generation) for row in rows}
            in_order = [rows_by_doc[doc] if doc in rows_by_doc else cached[doc] for doc in docs]
        self._cache.remember(rows_by_doc)
        return in_order

    def read_ahead(self, docs: Sequence[int]) -> None:
        """Have all records in memory, where they are few enough to stay there; raises what `readable` does."""
        if len(docs) > self._cache.limit:
            return
        cached = self._cache.values
        for some in batches([doc for doc in docs if doc not in cached], _READ_AHEAD):
            self.readable(some)

    def take_over(self, before: "RecordFile") -> None:
        """Know what the file of the generation before this one had in memory and that is the same here.

        Raises:
            IndexCorrupt: The file is damaged.
        """
        cached = before._cache.values.copy()  # queries of that one go on
        hashes = self._all(f"SELECT doc, record_hash FROM records WHERE doc IN {_VALUES}", json.dumps(list(cached)))
        same = {doc: cached[doc] for doc, stored in hashes if cached[doc].record.record_hash == as_text(stored)}
        self._cache.remember(same)

    def texts(self, docs: Sequence[int]) -> list[str]:
        """The text of each named record."""
        seen, cached = self._cache.values, self._texts.values
        if all(doc in seen for doc in docs):
            return [seen[doc].record.chunk.body.text for doc in docs]
        missing = [doc for doc in docs if doc not in cached]
        if not missing:
            return [cached[doc] for doc in docs]
        rows = self._all(f"SELECT doc, {READ} FROM records WHERE doc IN {_VALUES}", json.dumps(missing))
        with self._damage:
            by_doc = dict(rows)
            in_order = [by_doc[doc] if doc in by_doc else cached[doc] for doc in docs]
        self._texts.remember(by_doc)
        return in_order

    def of_page(self, url: str) -> list[Record]:
        """The records of a page, by ordinal."""
        rows = self._all(f"SELECT {READ_FIELDS} FROM records WHERE sort = ? ORDER BY ordinal, id", path_key(url))
        with self._damage:
            return [record_of(row, self._generation) for row in rows]

    def page_text(self, url: str) -> str:
        """The text of a page from its records, by `PAGE_TEXTS`."""
        return "\n".join(text for (text,) in self._all(PAGE_TEXTS, path_key(url)))

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """The next (id, record_hash) pairs behind the id `after`, in rising order of id."""
        rows = self._all(f"SELECT id, record_hash FROM records WHERE id > ? ORDER BY id LIMIT {int(limit)}", after)
        return [(id_, as_text(stored)) for id_, stored in rows]

    def hashes(self, ids: Sequence[str]) -> dict[str, str]:
        """The record hash of each named record that is there."""
        rows = self._all(f"SELECT id, record_hash FROM records WHERE id IN {_VALUES}", json.dumps(ids))
        return {id_: as_text(stored) for id_, stored in rows}

    def first_from(self, key: bytes) -> int | None:
        """The first record whose path is `key` or sorts behind it."""
        docs = self._all(f"SELECT doc FROM records WHERE sort >= ? ORDER BY {PATH_ORDER} LIMIT 1", key)
        return docs[0][0] if docs else None

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
