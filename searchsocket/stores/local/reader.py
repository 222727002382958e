"""A generation, open for queries."""

import hashlib
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import InvalidRequest
from searchsocket.stores.base import WordEvidence, check_vectors
from searchsocket.stores.local.keywords import Words, open_words
from searchsocket.stores.local.layout import (
    IDS,
    ORDER,
    RECORDS,
    VECTORS,
    WORDS,
    Manifest,
    check_hashes,
    check_sizes,
    corrupt,
    naming_damage,
    read_manifest,
)
from searchsocket.stores.local.matrix import Rows, Selection, best_rows, cosines, map_matrix
from searchsocket.stores.local.records import (
    FIELD_NAMES,
    PATH_ORDER,
    clean,
    connect_reader,
    path_bounds,
    path_key,
    record_of,
)
from searchsocket.synonyms import NO_SYNONYMS, Synonyms
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Record, Vector, Vectors
from searchsocket.urls import normalise_prefix

_MAX_CACHED_TAGS = 256
_MAX_SEEN = 8_192  # records that stay in memory, about 20 MB: reading one costs as much as ranking it
_MAX_VALUES = 500  # of one statement


class LocalReader:
    """A snapshot of one generation; safe to share between threads, and whole after its files are removed."""

    def __init__(self, folder: Path, *, trusted: bool = False, synonyms: Synonyms = NO_SYNONYMS) -> None:
        """Open a generation's folder.

        Args:
            trusted: The hashes of the big files were checked a moment ago. They are checked otherwise: 100 MB take
                0.06 s, once a generation, and a wrong byte would be a wrong answer.
            synonyms: What else the words of a query look for.

        Raises:
            FileNotFoundError: A file is missing: damaged, or removed a moment ago by a newer run.
            IndexCorrupt: A file is damaged.
        """
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self.generation: Generation = self.manifest.generation
        check_sizes(folder, self.manifest)
        if not trusted:
            check_hashes(folder, self.manifest)
        count = self.generation.records
        self.order = self._array(ORDER, np.dtype(np.uint32))
        self.ids = self._array(IDS, np.dtype(f"S{self.manifest.id_bytes}"))
        with naming_damage(folder / VECTORS):
            self.vectors = map_matrix(folder / VECTORS, count, self.generation.dimensions)
        if count and int(self.order.max()) > self.manifest.max_doc:
            raise corrupt(folder / ORDER, "names records that its manifest does not know")
        self.rows = np.full(self.manifest.max_doc + 1, -1, np.int64)  # doc -> row
        self.rows[self.order] = np.arange(count)
        self.words = self._open_words(synonyms)
        self._lock = threading.Lock()
        self._connection = connect_reader(folder / RECORDS)
        self._tags: dict[str, Rows] = {}
        self._seen: dict[str, Record] = {}
        self._known_urls: dict[int, str] = {}
        self._hidden = self._rows_where("SELECT doc FROM records WHERE weight <= 0")

    def _array(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        """One of the small arrays: all of it is read, so its hash is checked as well."""
        path = self.folder / name
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != self.manifest.files[name].sha256:
            raise corrupt(path, "was changed after it was published")
        with naming_damage(path):
            array = np.frombuffer(data, dtype)
        if len(array) != self.generation.records:
            raise corrupt(path, f"holds {len(array)} rows instead of {self.generation.records}")
        return array

    def _open_words(self, synonyms: Synonyms) -> Words:
        with naming_damage(self.folder / WORDS):
            words = open_words(self.folder, synonyms)
        held, told = (words.records, words.pages), (self.generation.records, self.generation.pages)
        if held != told:
            raise corrupt(
                self.folder / WORDS, "holds {} records and {} pages instead of {} and {}".format(*held, *told)
            )
        return words

    def query(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `IndexReader.query`."""
        self._check(vector)
        chosen = self._selection(where)
        if chosen is None or top_k < 1:
            return []
        with naming_damage(self.folder / VECTORS):
            found = best_rows(self.vectors, vector, chosen, self._hidden, self.ids, top_k)
        return [Hit(self.ids[row].decode(), score) for row, score in found]

    def keyword_query(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `IndexReader.keyword_query`."""
        prefix = normalise_prefix(clean(where.path_prefix))
        with naming_damage(self.folder / WORDS):
            found = self.words.search(text, Filter(prefix, where.tags), top_k)
            hits = [Hit(self.ids[self.rows[doc]].decode(), score) for doc, score in found]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def page_query(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `IndexReader.page_query`."""
        prefix = normalise_prefix(clean(where.path_prefix))
        with naming_damage(self.folder / WORDS):
            found = self.words.search_pages(text, Filter(prefix, where.tags), top_k)
            hits = [Hit(url, score) for url, (_, score) in zip(self._urls(doc for doc, _ in found), found, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def word_evidence(self, text: str) -> WordEvidence:
        """See `IndexReader.word_evidence`."""
        with naming_damage(self.folder / WORDS):
            return self.words.evidence(text)

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `IndexReader.similarities`."""
        self._check(vector)
        return cosines(self.vectors, vector, self._rows_of(row[0] for row in self._rows_of_ids("doc", ids)))

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `IndexReader.vectors_of`."""
        rows = self._rows_of(row[0] for row in self._rows_of_ids("doc", ids))
        with naming_damage(self.folder / VECTORS):
            return self.vectors[rows]

    def records(self, ids: Sequence[str]) -> list[Record]:
        """See `IndexReader.records`."""
        known = self._seen
        unknown = list(dict.fromkeys(id_ for id_ in ids if id_ not in known))
        if not unknown:
            return [known[id_] for id_ in ids]
        found = dict(zip(unknown, self._records(self._rows_of_ids(FIELD_NAMES, unknown)), strict=True))
        records = [found[id_] if id_ in found else known[id_] for id_ in ids]
        if len(known) + len(found) > _MAX_SEEN:
            self._seen = found  # another thread may hold the old one, so that stays as it is
        else:
            known.update(found)
        return records

    def page_records(self, url: str) -> list[Record]:
        """See `IndexReader.page_records`."""
        sql = f"SELECT {FIELD_NAMES} FROM records WHERE sort = ? ORDER BY ordinal, id"
        return self._records(self._all(sql, path_key(url)))

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """The next (id, record_hash) pairs behind the id `after`, in rising order of id."""
        sql = f"SELECT id, record_hash FROM records WHERE id > ? ORDER BY id LIMIT {int(limit)}"
        return self._all(sql, after)

    def _check(self, vector: Vector) -> None:
        check_vectors(vector[np.newaxis], 1, self.generation.dimensions)

    def _selection(self, where: Filter) -> Selection | None:
        """The rows that match a filter; None when there is none."""
        start, stop = 0, len(self.order)
        prefix = normalise_prefix(clean(where.path_prefix))
        if prefix:
            start, stop = (self._first_row_from(bound) for bound in path_bounds(prefix))
        rows: Rows | None = None
        for tag in dict.fromkeys(where.tags):
            tagged = self._tagged(clean(tag))
            rows = tagged if rows is None else np.intersect1d(rows, tagged, assume_unique=True)
        if rows is not None:
            rows = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)]
        is_empty = start >= stop or (rows is not None and not len(rows))
        return None if is_empty else Selection(start, stop, rows)

    def _first_row_from(self, key: bytes) -> int:
        """The row of the first record whose path is `key` or sorts behind it."""
        sql = f"SELECT doc FROM records WHERE sort >= ? ORDER BY {PATH_ORDER} LIMIT 1"
        found = self._all(sql, key)
        return int(self._rows_of(found[0])[0]) if found else len(self.order)

    def _tagged(self, tag: str) -> Rows:
        """Rows with a tag, without the hidden ones, rising; looked up once a reader."""
        rows = self._tags.get(tag)
        if rows is None:
            rows = self._rows_where("SELECT doc FROM tags WHERE tag = ?", tag)
            rows = np.setdiff1d(rows, self._hidden, assume_unique=True)
            if len(self._tags) >= _MAX_CACHED_TAGS:
                self._tags.clear()  # callers choose the tags, so what is kept is bounded
            self._tags[tag] = rows
        return rows

    def _urls(self, docs: Iterable[int]) -> list[str]:
        """The URL of each record; looked up once a reader, and asked for few records only: the first of each page."""
        wanted = list(docs)
        unknown = [doc for doc in wanted if doc not in self._known_urls]
        for i in range(0, len(unknown), _MAX_VALUES):
            numbers = ", ".join(map(str, unknown[i : i + _MAX_VALUES]))
            self._known_urls.update(self._all(f"SELECT doc, url FROM records WHERE doc IN ({numbers})"))
        return [self._known_urls[doc] for doc in wanted]

    def _rows_where(self, sql: str, *values: str) -> Rows:
        return np.sort(self._rows_of(row[0] for row in self._all(sql, *values)))

    def _rows_of(self, docs: Iterable[int]) -> Rows:
        with naming_damage(self.folder / RECORDS):
            return self.rows[np.array(list(docs), np.int64)]

    def _rows_of_ids(self, columns: str, ids: Sequence[str]) -> list[tuple[Any, ...]]:
        """A row for each id, in their order; few statements, since each costs more than a row."""
        wanted = [clean(id_) for id_ in ids]
        found: dict[str, tuple[Any, ...]] = {}
        for i in range(0, len(wanted), _MAX_VALUES):
            some = wanted[i : i + _MAX_VALUES]
            marks = ", ".join("?" * len(some))
            for row in self._all(f"SELECT id, {columns} FROM records WHERE id IN ({marks})", *some):
                found[row[0]] = row[1:]
        for id_ in wanted:
            if id_ not in found:
                raise InvalidRequest(f"no record {id_[:200]!r} in this index")
        return [found[id_] for id_ in wanted]

    def _all(self, sql: str, *values: str | bytes) -> list[tuple[Any, ...]]:
        with naming_damage(self.folder / RECORDS), self._lock:
            return self._connection.execute(sql, values).fetchall()

    def _records(self, rows: Sequence[Sequence[Any]]) -> list[Record]:
        with naming_damage(self.folder / RECORDS):
            return [record_of(row, self.generation) for row in rows]
