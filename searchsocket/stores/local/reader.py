"""A generation, open for queries."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import InvalidRequest, PageTextsMissing
from searchsocket.stores.base import UNIT_TOLERANCE, Candidates, Shown, Watch, WordEvidence, check_vectors
from searchsocket.stores.local.catalogue.bodies import BodyFile, all_digests
from searchsocket.stores.local.catalogue.facts import FactTable, read_facts
from searchsocket.stores.local.catalogue.record_file import RecordFile
from searchsocket.stores.local.catalogue.records import path_bounds
from searchsocket.stores.local.layout import (
    BODIES,
    FACTS,
    FORMAT,
    IDS,
    ORDER,
    RECORDS,
    VECTORS,
    Manifest,
    NamingDamage,
    check_hashes,
    check_sizes,
    corrupt,
    read_manifest,
)
from searchsocket.stores.local.vectors.matrix import Rows, Selection, best_rows, cosines, map_matrix, read_matrix
from searchsocket.stores.words import WORDS
from searchsocket.stores.words.keywords import Words
from searchsocket.text.storable import storable
from searchsocket.text.synonyms import NO_SYNONYMS, Synonyms
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Record, Scores, Vector, Vectors
from searchsocket.urls.paths import normalise_prefix

_MAX_CACHED_TAGS = 256
_MAX_HITS = 8_192  # ids whose rows are remembered

_Found = tuple[Rows, Scores]  # rows, best first, and their scores
_NOTHING: _Found = np.empty(0, np.int64), np.empty(0)


class LocalReader:
    """A snapshot of one generation; safe to share between threads, and whole after its files are removed."""

    def __init__(
        self, folder: Path, *, trusted: bool = False, synonyms: Synonyms = NO_SYNONYMS, max_read_bytes: int = 0
    ) -> None:
        """Open a generation's folder.

        Args:
            trusted: The hashes of the big files were checked a moment ago. They are checked otherwise: 100 MB take
                0.06 s, once a generation, and a wrong byte would be a wrong answer.
            synonyms: What else the words of a query look for.
            max_read_bytes: Vectors up to here are read into memory; more are mapped, page by page as they are used.

        Raises:
            FileNotFoundError: A file is missing: damaged, or removed a moment ago by a newer run.
            IndexCorrupt: A file is damaged.
        """
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self.generation: Generation = self.manifest.generation
        self._damage = {name: NamingDamage(folder / name) for name in (FACTS, RECORDS, VECTORS, WORDS)}
        check_sizes(folder, self.manifest)
        if not trusted:
            check_hashes(folder, self.manifest)
        count = self.generation.records
        self.order = self._array(ORDER, np.dtype(np.uint32))
        self.ids = self._array(IDS, np.dtype(f"S{self.manifest.id_bytes}"))
        is_read = self.manifest.files[VECTORS].bytes <= max_read_bytes
        with self._damage[VECTORS]:
            take = read_matrix if is_read else map_matrix
            self.vectors = take(folder / VECTORS, count, self.generation.dimensions)
        self.read_bytes = self.vectors.nbytes if is_read else 0
        if count and int(self.order.max()) > self.manifest.max_doc:
            raise corrupt(folder / ORDER, "names records that its manifest does not know")
        self.rows = np.full(self.manifest.max_doc + 1, -1, np.int64)  # doc -> row
        self.rows[self.order] = np.arange(count)
        self.facts_of_all = self._read_facts()
        self._hidden = np.flatnonzero(self.facts_of_all.weights <= 0)
        self._by_id = np.argsort(self.ids, kind="stable")  # rows
        self._order_of_id = np.empty(count, np.uint32)  # row -> place among the ids
        self._order_of_id[self._by_id] = np.arange(count)
        self.words = self._open_words(synonyms)
        self._records = RecordFile(folder / RECORDS, self.generation)
        self._bodies = BodyFile(folder / BODIES) if self.manifest.format == FORMAT else None
        self._tags: dict[str, Rows] = {}
        self._row_of: dict[str, int] = {}  # of the last hits, by id

    def _array(self, name: str, dtype: np.dtype[Any]) -> NDArray[Any]:
        """One of the small arrays."""
        data = self._checked_bytes(name)
        with NamingDamage(self.folder / name):
            array = np.frombuffer(data, dtype)
        self._check_rows(name, len(array))
        return array

    def _read_facts(self) -> FactTable:
        data = self._checked_bytes(FACTS)
        with self._damage[FACTS]:
            table = read_facts(data)
        self._check_rows(FACTS, len(table.weights))
        return table

    def _checked_bytes(self, name: str) -> bytes:
        """A small file, which is read as a whole, so its hash is checked as well."""
        path = self.folder / name
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != self.manifest.files[name].sha256:
            raise corrupt(path, "was changed after it was published")
        return data

    def _check_rows(self, name: str, found: int) -> None:
        if found != self.generation.records:
            raise corrupt(self.folder / name, f"holds {found} rows instead of {self.generation.records}")

    def _open_words(self, synonyms: Synonyms) -> Words:
        pages = self.facts_of_all.texts["url"].codes
        starts = np.flatnonzero(pages[1:] != pages[:-1]) + 1  # of each page but the first
        firsts = self.order[np.concatenate([[0], starts])] if len(pages) else self.order
        with self._damage[WORDS]:
            words = Words(self.folder, self.order[self._by_id], firsts, synonyms)
        held, told = (words.records, words.pages), (self.generation.records, self.generation.pages)
        if held != told:
            raise corrupt(
                self.folder / WORDS, "holds {} records and {} pages instead of {} and {}".format(*held, *told)
            )
        return words

    def query(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `IndexReader.query`."""
        return self._hits(*self._nearest(vector, top_k, where))

    def keyword_query(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `IndexReader.keyword_query`."""
        return self._hits(*self._by_words(text, top_k, where))

    def page_query(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `IndexReader.page_query`."""
        rows, scores = self._pages(text, top_k, where)
        urls = self.facts_of_all.texts["url"].take(rows)
        return [Hit(url, score) for url, score in zip(urls, scores.tolist(), strict=True)]

    def candidates(
        self, vector: Vector, text: str, *, top_k: int, where: Filter = MATCH_ALL, watch: Watch = nullcontext
    ) -> Candidates:
        """See `IndexReader.candidates`."""
        with watch("vector"):
            near, cosine = self._nearest(vector, top_k, where)
        with watch("keyword"):
            worded, bm25 = self._by_words(text, top_k, where)
            paged, page_bm25 = self._pages(text, top_k, where)
        with watch("vector"), self._damage[VECTORS]:
            known = set(near.tolist())
            others = np.array([row for row in worded.tolist() if row not in known], np.int64)
            cosine = np.concatenate([cosine, cosines(self.vectors, vector, others)])
        rows = np.concatenate([near, others])
        with self._damage[FACTS]:
            facts = self.facts_of_all.take(rows)
            pages = self.facts_of_all.texts["url"].codes
            words = _column(worded, bm25, rows)
            of_page = _column(pages[paged], page_bm25, pages[rows])
        return Candidates(self._named(rows), facts, cosine, words, of_page, float(cosine[0]) if len(near) else -1.0)

    def _nearest(self, vector: Vector, top_k: int, where: Filter) -> _Found:
        self._check(vector)
        chosen = self._selection(where)
        if chosen is None or top_k < 1:
            return _NOTHING
        with self._damage[VECTORS]:
            return best_rows(self.vectors, vector, chosen, self._hidden, self._order_of_id, top_k)

    def _by_words(self, text: str, top_k: int, where: Filter) -> _Found:
        with self._damage[WORDS]:
            docs, scores = self.words.search(text, _canonical(where), top_k)
            rows = self.rows[docs]
            best = np.lexsort((self._order_of_id[rows], -scores))[:top_k]
        return rows[best], scores[best]

    def _pages(self, text: str, top_k: int, where: Filter) -> _Found:
        """Pages by the row of their first record; rows are in path order."""
        with self._damage[WORDS]:
            docs, scores = self.words.search_pages(text, _canonical(where), top_k)
            rows = self.rows[docs]
        best = np.lexsort((rows, -scores))[:top_k]
        return rows[best], scores[best]

    def _hits(self, rows: Rows, scores: Scores) -> list[Hit]:
        return [Hit(id_, score) for id_, score in zip(self._named(rows), scores.tolist(), strict=True)]

    def _named(self, rows: Rows) -> list[str]:
        """The ids of rows; whoever gets these asks for more about them, so their rows are remembered."""
        ids = [id_.decode() for id_ in self.ids[rows].tolist()]
        known = self._row_of
        if len(known) > _MAX_HITS:
            known = self._row_of = {}  # another thread may hold the old one, so that stays as it is
        known.update(zip(ids, rows.tolist(), strict=True))
        return ids

    def word_evidence(self, text: str) -> WordEvidence:
        """See `IndexReader.word_evidence`."""
        with self._damage[WORDS]:
            return self.words.evidence(text)

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """See `IndexReader.similarities`."""
        self._check(vector)
        rows = self._rows_of_ids(ids)
        with self._damage[VECTORS]:
            found: list[float] = cosines(self.vectors, vector, rows).tolist()
        return found

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """See `IndexReader.vectors_of`."""
        rows = self._rows_of_ids(ids)
        with self._damage[VECTORS]:
            return self.vectors[rows]

    def records(self, ids: Sequence[str]) -> list[Record]:
        """See `IndexReader.records`."""
        return [shown.record for shown in self.shown(ids)]

    def shown(self, ids: Sequence[str]) -> list[Shown]:
        """See `IndexReader.shown`."""
        return self._records.shown(self._docs(ids))

    def texts(self, ids: Sequence[str]) -> list[str]:
        """See `IndexReader.texts`."""
        return self._records.texts(self._docs(ids))

    def page_records(self, url: str) -> list[Record]:
        """See `IndexReader.page_records`."""
        return self._records.of_page(url)

    def page_body(self, url: str) -> str | None:
        """See `IndexReader.page_body`."""
        text = None if self._bodies is None else self._bodies.text(url)
        if text is None and self.page_records(url):
            raise PageTextsMissing(self.generation.scope)
        return text

    def body_digests(self) -> Iterator[tuple[str, str]]:
        """See `VectorStore.body_digests`."""
        return iter(()) if self._bodies is None else all_digests(self._bodies)

    def fingerprints(self, after: str, limit: int) -> list[tuple[str, str]]:
        """The next (id, record_hash) pairs behind the id `after`, in rising order of id."""
        return self._records.fingerprints(after, limit)

    def _check(self, vector: Vector) -> None:
        is_float = vector.dtype == np.float32 and vector.shape == (self.generation.dimensions,)
        if is_float and abs(float(vector @ vector) - 1.0) <= UNIT_TOLERANCE:
            return  # the whole check takes as long as a hundred cosines
        check_vectors(vector[np.newaxis], 1, self.generation.dimensions)

    def _selection(self, where: Filter) -> Selection | None:
        """The rows that match a filter; None when there is none."""
        start, stop = 0, len(self.order)
        prefix = normalise_prefix(storable(where.path_prefix))
        if prefix:
            start, stop = (self._first_row_from(bound) for bound in path_bounds(prefix))
        rows: Rows | None = None
        for tag in dict.fromkeys(where.tags):
            tagged = self._tagged(storable(tag))
            rows = tagged if rows is None else np.intersect1d(rows, tagged, assume_unique=True)
        if rows is not None:
            rows = rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)]
        is_empty = start >= stop or (rows is not None and not len(rows))
        return None if is_empty else Selection(start, stop, rows)

    def _first_row_from(self, key: bytes) -> int:
        """The row of the first record whose path is `key` or sorts behind it."""
        doc = self._records.first_from(key)
        return len(self.order) if doc is None else int(self._rows_of([doc])[0])

    def _tagged(self, tag: str) -> Rows:
        """Rows with a tag, without the hidden ones, rising; looked up once a reader."""
        rows = self._tags.get(tag)
        if rows is None:
            tagged = np.sort(self._rows_of(self._records.tagged(tag)))
            rows = np.setdiff1d(tagged, self._hidden, assume_unique=True)
            if len(self._tags) >= _MAX_CACHED_TAGS:
                self._tags.clear()  # callers choose the tags, so what is kept is bounded
            self._tags[tag] = rows
        return rows

    def _rows_of(self, docs: Sequence[int]) -> Rows:
        with self._damage[RECORDS]:
            return self.rows[np.array(docs, np.int64)]

    def _docs(self, ids: Sequence[str]) -> list[int]:
        docs: list[int] = self.order[self._rows_of_ids(ids)].tolist()
        return docs

    def _rows_of_ids(self, ids: Sequence[str]) -> Rows:
        """The row of each id."""
        known = self._row_of
        rows = np.array([known.get(id_, -1) for id_ in ids], np.int64)
        unknown = np.flatnonzero(rows < 0)
        if len(unknown):
            rows[unknown] = self._look_up([ids[place] for place in unknown.tolist()])
        return rows

    def _look_up(self, ids: Sequence[str]) -> Rows:
        wanted = np.array([storable(id_).encode() for id_ in ids])
        places = np.searchsorted(self.ids, wanted, sorter=self._by_id) % max(len(self.ids), 1)
        rows = self._by_id[places] if len(self.ids) else places
        is_known = self.ids[rows] == wanted if len(self.ids) else np.zeros(len(ids), bool)
        if not is_known.all():
            raise InvalidRequest(f"no record {ids[int(np.argmin(is_known))][:200]!r} in this index")
        return rows


def _canonical(where: Filter) -> Filter:
    return Filter(normalise_prefix(storable(where.path_prefix)), where.tags) if where.path_prefix else where


def _column(found: Rows, scores: Scores, wanted: Rows) -> Scores:
    """The score of each of `wanted`; 0 for those that were not found."""
    known = dict(zip(found.tolist(), scores.tolist(), strict=True))
    return np.array([known.get(key, 0.0) for key in wanted.tolist()], np.float64)
