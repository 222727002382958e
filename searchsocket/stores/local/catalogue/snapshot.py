"""The records and page texts of a generation, open for queries: records by number from all packs, with a cache."""

import json
import sqlite3
import threading
import weakref
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Self

from searchsocket.errors import PageTextsMissing
from searchsocket.stores.base.index_reader import Facts, ReadableRecord
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.local.catalogue.bodies import BodyFile, all_digests
from searchsocket.stores.local.catalogue.columns import SqlRow
from searchsocket.stores.local.catalogue.facts import FactTable, LabelledRows
from searchsocket.stores.local.catalogue.packed_texts import READ
from searchsocket.stores.local.catalogue.records import READ_RECORD, connect_records, path_key, readable_of
from searchsocket.stores.local.layout import NamingDamage, records_file
from searchsocket.stores.local.numbering import Numbering
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Record

_VALUES = "(SELECT value FROM json_each(?))"  # one statement for any number of values: SQLite parses it once
MAX_CACHED = 12_500  # records that stay in memory, about 55 MB: reading one costs as much as ranking it
_MAX_TEXTS = 8_192  # texts only, under 10 MB: a query with a name reads those of all its candidates
_READ_AHEAD = 100  # records at a time: queries run between the batches


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
            # Otherwise the connection keeps a deleted file open until the garbage collector runs. At the end of the
            # process, a thread may still read.
            weakref.finalize(self, connection.close).atexit = False

    def __reduce__(self) -> tuple[type[Self], tuple[Path, Sequence[str], Numbering]]:
        """Pickle the arguments only: another process opens the files itself."""
        return type(self), (self._folder, self._names, self._numbering)

    def select(self, columns: str, docs: Sequence[int]) -> dict[int, SqlRow]:
        """Columns of the named records, by doc.

        Raises:
            IndexCorrupt: A file is damaged, or lacks one of them.
        """
        by_pack: dict[int, list[int]] = {}
        for doc, pack in zip(docs, self._numbering.packs_of_docs(docs), strict=True):
            by_pack.setdefault(pack, []).append(doc)
        rows: dict[int, SqlRow] = {}
        for pack, some in by_pack.items():
            with self._damage[pack]:
                selected = self._select(pack, columns, some)
                rows |= {doc: selected[doc] for doc in some}
        return rows

    def _select(self, pack: int, columns: str, docs: Sequence[int]) -> dict[int, SqlRow]:
        sql = f"SELECT doc, {columns} FROM records WHERE doc IN {_VALUES}"
        with self._lock:
            rows = self._connections[pack].execute(sql, (json.dumps(docs),)).fetchall()
        return {doc: row for doc, *row in rows}


class RecordCache:
    """The records by `doc` number; safe to share between threads."""

    def __init__(self, packs: Packs, numbering: Numbering, generation: Generation, damage: NamingDamage) -> None:
        self._packs = packs
        self._numbering = numbering
        self._generation = generation
        self._damage = damage
        self._cache = BoundedCache[int, ReadableRecord](MAX_CACHED)
        self._texts = BoundedCache[int, str](_MAX_TEXTS)

    def readable(self, docs: Sequence[int]) -> list[ReadableRecord]:
        """The named records, in the order of `docs`.

        Raises:
            IndexCorrupt: A file is damaged.
        """
        cached = self._cache.values
        missing = [doc for doc in dict.fromkeys(docs) if doc not in cached]
        if not missing:
            return [cached[doc] for doc in docs]
        rows = self._packs.select(READ_RECORD, missing)
        names = self._numbering.names_of_docs(missing)
        with self._damage:
            read = {doc: readable_of(rows[doc], own, self._generation) for doc, own in zip(missing, names, strict=True)}
        in_order = [read[doc] if doc in read else cached[doc] for doc in docs]
        self._cache.remember(read)
        return in_order

    def read_ahead(self, docs: Sequence[int]) -> None:
        """Read all records into memory if they fit in the cache; raises the same errors as `readable`."""
        if len(docs) > self._cache.limit:
            return
        cached = self._cache.values
        for some in batches([doc for doc in docs if doc not in cached], _READ_AHEAD):
            self.readable(some)

    def copy_unchanged(self, before: "RecordCache") -> None:
        """Copy unchanged records from the cache of the previous generation."""
        cached = before._cache.values.copy()  # queries still use the previous one
        docs = list(cached)
        names = self._numbering.names_of_docs(docs)
        records = ((doc, cached[doc].record) for doc in docs)
        same = [doc for (doc, own), name in zip(records, names, strict=True) if name == (own.id, own.record_hash)]
        self._cache.remember({doc: cached[doc] for doc in same})

    def texts(self, docs: Sequence[int]) -> list[str]:
        """The text of each named record; raises the same errors as `readable`."""
        records, cached = self._cache.values, self._texts.values
        if all(doc in records for doc in docs):
            return [records[doc].record.chunk.body.text for doc in docs]
        missing = [doc for doc in docs if doc not in cached]
        if not missing:
            return [cached[doc] for doc in docs]
        read = {doc: text for doc, (text,) in self._packs.select(READ, missing).items()}
        in_order = [read[doc] if doc in read else cached[doc] for doc in docs]
        self._texts.remember(read)
        return in_order


class LocalCatalogue:
    """Implements `CatalogueSnapshot`."""

    def __init__(
        self,
        scope: str,
        numbering: Numbering,
        fact_table: FactTable,
        labelled: LabelledRows,
        records: RecordCache,
        bodies: BodyFile,
        damage: NamingDamage,
    ) -> None:
        self._scope = scope
        self._numbering = numbering
        self._facts = fact_table
        self._labelled = labelled
        self._records = records
        self._bodies = bodies
        self._damage = damage

    def facts(self, ids: Sequence[str]) -> Facts:
        """Return the ranking facts of each record, in the order of `ids`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._facts.take(rows)

    def facets(self, ids: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the facets of the page of each record, in the order of `ids`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._labelled.facets_of(rows)

    def languages_of(self, ids: Sequence[str]) -> list[str]:
        """Return the language of the page of each record, "" if unknown, in the order of `ids`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            return self._labelled.languages_of(rows)

    def facet_labels(self) -> Collection[str]:
        """Return the facets of all pages, each once."""
        with self._damage:
            return self._labelled.facet_labels()

    def facet_names(self) -> frozenset[str]:
        """Return the facets that any page states."""
        with self._damage:
            return self._labelled.facet_names()

    def languages(self) -> frozenset[str]:
        """Return the languages of all pages."""
        with self._damage:
            return self._labelled.languages()

    def records(self, ids: Sequence[str]) -> list[Record]:
        """Return the records, in the order of `ids`."""
        return [item.record for item in self.readable(ids)]

    def readable(self, ids: Sequence[str]) -> list[ReadableRecord]:
        """Return the records with their readable texts, in the order of `ids`."""
        return self._records.readable(self._numbering.docs_of(ids))

    def read_ahead(self) -> None:
        """Load the readable texts into memory if they are small."""
        self._records.read_ahead(self._numbering.docs.tolist())

    def copy_unchanged(self, before: "LocalCatalogue") -> None:
        """Copy unchanged records from the cache of the previous generation."""
        self._records.copy_unchanged(before._records)

    def texts(self, ids: Sequence[str]) -> list[str]:
        """Return the `text` of each record, in the order of `ids`."""
        return self._records.texts(self._numbering.docs_of(ids))

    def page_records(self, url: str) -> list[Record]:
        """Return the records of a page by ordinal; empty if there is no such page."""
        return [item.record for item in self._records.readable(self._docs_of_page(url))]

    def page_body(self, url: str) -> str | None:
        """Return the text of a page; None if there is no such page."""
        text = self._bodies.text(url, self._page_text)
        if text is None and self._docs_of_page(url):
            raise PageTextsMissing(self._scope)
        return text

    def page_digest(self, url: str) -> str:
        """Return the digest of the text of a page; "" if it has no text."""
        return self._bodies.digest(url)

    def key_phrases(self, url: str) -> tuple[str, ...]:
        """Return the key phrases of a page; empty if it has no text."""
        return self._bodies.key_phrases(url)

    def body_digests(self) -> Iterator[tuple[str, str]]:
        """Yield (url, digest) of the text of every live page that has one, by rising URL."""
        return all_digests(self._bodies)

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """Return the next `limit` (id, record_hash) pairs after an id, by rising id."""
        return self._numbering.fingerprints(after, limit)

    def _page_text(self, url: str) -> str:
        return "\n".join(self._records.texts(self._docs_of_page(url)))

    def _docs_of_page(self, url: str) -> list[int]:
        with self._damage:
            docs: list[int] = self._numbering.docs[self._facts.rows_of_page(path_key(url))].tolist()
            return docs
