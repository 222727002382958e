"""A generation, open for queries."""

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from searchsocket.stores.base.index_reader import Candidates, Letters, Named, TermHit, Watch, WordEvidence
from searchsocket.stores.base.vectors import canonical, whenever
from searchsocket.stores.local.catalogue.bodies import BodyFile
from searchsocket.stores.local.catalogue.facts import FactTable, LabelledRows, TextColumn, read_facts
from searchsocket.stores.local.catalogue.snapshot import MAX_CACHED, LocalCatalogue, Packs, RecordCache
from searchsocket.stores.local.layout import (
    FACTS,
    PACKS,
    ROWS,
    Manifest,
    NamingDamage,
    PackEntry,
    check_hashes,
    check_sizes,
    corrupt,
    read_manifest,
    rows_files,
    words_file,
)
from searchsocket.stores.local.numbering import Numbering, RowNames, Rows, read_blocks
from searchsocket.stores.local.vectors.matrix import MatrixVectors, Selector
from searchsocket.stores.local.vectors.parts import IndexVectors, MatrixPart, Rest, VectorPart
from searchsocket.stores.words.bm25 import Best, RowColumns, max_cached_bytes
from searchsocket.stores.words.index import WordPack
from searchsocket.stores.words.keywords import Words
from searchsocket.stores.words.pack_words import PackWords
from searchsocket.system.arrays import Integers
from searchsocket.text.synonyms import NO_SYNONYMS, SynonymSource
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Scores, Vector, Vectors

_IN_ITS_FOLDER = MatrixPart()
_READER_BYTES = 700_000  # with the cached scores of a small index
_RECORD_BYTES = 1_000  # names and facts
_CACHED_RECORD_BYTES = 4_400


class LocalWords:
    """Implements `WordSnapshot`."""

    def __init__(
        self, prepare: Callable[[], Words], numbering: Numbering, urls: TextColumn, damage: NamingDamage
    ) -> None:
        """Args:
        prepare: Called by the first query.
        urls: Of every row.
        """
        self._prepare = prepare
        self._numbering = numbering
        self._urls = urls
        self._damage = damage

    @cached_property
    def index(self) -> Words:
        """The words, ready for queries."""
        return self._prepare()

    def search(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` records that contain words of `text`, best first; equals by rising id."""
        rows, scores = self.best_rows(text, top_k, where)
        return list(map(Hit, self._numbering.ids_of(rows), scores.tolist()))

    def search_pages(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Return at most `top_k` pages whose text contains words of `text`, best first; equals in path order."""
        rows, scores = self.best_pages(text, top_k, where)
        return list(map(Hit, self._urls.take(rows), scores.tolist()))

    def named(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> Named:
        """Return at most `top_k` pages and records whose name is `text` or starts with it."""
        (pages, of_pages), (rows, of_rows) = self.named_rows(text, top_k, where)
        return Named(
            list(map(Hit, self._urls.take(pages), of_pages.tolist())),
            list(map(Hit, self._numbering.ids_of(rows), of_rows.tolist())),
        )

    def neighbours(self, text: str, ids: Sequence[str]) -> list[float]:
        """Return, for each record, the share of adjacent word pairs of `text` that a field has, in [0, 1]."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            shares: list[float] = self.index.neighbours(text, rows).tolist()
        return shares

    def sentences(self, text: str, ids: Sequence[str]) -> list[bool]:
        """Return, for each record, True if a field has all words of `text` close together."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            is_close: list[bool] = self.index.sentences(text, rows).tolist()
        return is_close

    def word_proximity(self, text: str, ids: Sequence[str]) -> list[float]:
        """Return, for each record, the share of the words of `text` that it contains, in [0, 1]."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            shares: list[float] = self.index.word_proximity(text, rows).tolist()
        return shares

    def satisfying(self, text: str, ids: Sequence[str]) -> list[bool]:
        """Return, for each record, True if it meets the quotes and minus words of `text`."""
        rows = self._numbering.rows_of(ids)
        with self._damage:
            satisfies: list[bool] = self.index.satisfying(text, rows).tolist()
        return satisfies

    def corrected(self, text: str) -> str:
        """Correct a text to the name of a page or section, and remove excluded words and the product name."""
        with self._damage:
            return self.index.corrected(text)

    def pages_with(self, letters: Sequence[Letters], *, where: Filter = MATCH_ALL) -> list[str]:
        """Return the URLs of all pages that may contain all the letters, in path order."""
        with self._damage:
            rows_by_letters = [self.index.with_letters(one, canonical(where)) for one in letters or (None,)]
            pages = [self._urls.codes[rows] for rows in rows_by_letters]
            rows = np.flatnonzero(np.logical_and.reduce([np.isin(self._urls.codes, codes) for codes in pages]))
            firsts = rows[np.unique(self._urls.codes[rows], return_index=True)[1]]
        return list(self._urls.take(np.sort(firsts)))

    def rarities(self, text: str) -> dict[str, float]:
        """Return the rarity of each word of `text` among pages; higher is rarer."""
        with self._damage:
            return self.index.rarities(text)

    def holding(self, alternatives: Sequence[Sequence[str]], *, where: Filter = MATCH_ALL) -> list[str]:
        """Return the ids of all records with every token of one of the alternatives, in path order."""
        with self._damage:
            rows = self.index.with_tokens(alternatives, canonical(where))
        return self._numbering.ids_of(rows)

    def by_rarity(self, terms: Sequence[str], *, top_k: int) -> list[TermHit]:
        """Return at most `top_k` records by the summed rarity of the terms that they contain; equals by rising id."""
        with self._damage:
            matches = self.index.by_rarity(terms, top_k)
        ids = self._numbering.ids_of(np.array([row for row, _, _ in matches], np.int64))
        hits = [TermHit(id_, score, terms_present) for id_, (_, score, terms_present) in zip(ids, matches, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def evidence(self, text: str) -> WordEvidence:
        """Return the evidence of the best page for a query."""
        with self._damage:
            return self.index.evidence(text)

    def best_rows(self, text: str, top_k: int, where: Filter) -> tuple[Rows, Scores]:
        """The rows of the best records, best first, and their scores."""
        with self._damage:
            return self._best_rows(self.index.search(text, canonical(where), top_k), top_k)

    def best_pages(self, text: str, top_k: int, where: Filter) -> tuple[Rows, Scores]:
        """The best pages, each by the row of its first record, and their scores; rows are in path order."""
        with self._damage:
            return self._best_pages(self.index.search_pages(text, canonical(where), top_k), top_k)

    def named_rows(self, text: str, top_k: int, where: Filter) -> tuple[tuple[Rows, Scores], tuple[Rows, Scores]]:
        """Pages as `best_pages` gives them and records as `best_rows` does, see `WordSnapshot.named`."""
        with self._damage:
            pages = self._best_pages(self.index.named_pages(text, canonical(where), top_k), top_k)
            return pages, self._best_rows(self.index.named_records(text, canonical(where), top_k), top_k)

    def _best_rows(self, scored: Best, top_k: int) -> tuple[Rows, Scores]:
        return _first(*scored, self._numbering.id_order[scored[0]], top_k)

    def _best_pages(self, scored: Best, top_k: int) -> tuple[Rows, Scores]:
        return _first(*scored, scored[0], top_k)


def _first(rows: Rows, scores: Scores, order: Integers, top_k: int) -> tuple[Rows, Scores]:
    """The best rows and their scores, ties in ascending `order`."""
    best = np.lexsort((order, -scores))[:top_k]
    return rows[best], scores[best]


class LocalReader:
    """Implements `IndexReader`; safe to share between threads, and usable after its files are deleted."""

    def __init__(
        self,
        folder: Path,
        part: VectorPart = _IN_ITS_FOLDER,
        *,
        trusted: bool = False,
        synonyms: SynonymSource = NO_SYNONYMS,
        max_read_bytes: int = 0,
    ) -> None:
        """Open a generation's folder.

        Args:
            part: The location of its vectors.
            trusted: The hashes of the big files have just been checked. Otherwise they are checked here, because a
                wrong byte would be a wrong answer: 100 MB take 0.06 s, once per generation.
            synonyms: Synonyms of query words.
            max_read_bytes: Vectors up to here are read into memory; more are mapped, page by page as they are used.

        Raises:
            FileNotFoundError: A file is missing: the generation is damaged, or a newer run has just removed it.
            IndexCorrupt: A file is damaged.
        """
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        self.generation: Generation = self.manifest.generation
        damage = {name: NamingDamage(folder / name) for name in (FACTS, PACKS)}
        check_sizes(folder, self.manifest, part.files)
        if not trusted:
            check_hashes(folder, self.manifest)
        self.numbering = Numbering(self._read_names(), self.manifest.max_doc)
        self.facts = self._read_facts(damage[FACTS])
        hidden = np.flatnonzero(self.facts.weights <= 0)
        packs = Packs(folder, [pack.name for pack in self.manifest.packs], self.numbering)
        records = RecordCache(packs, self.numbering, self.generation, damage[PACKS])
        bodies = BodyFile(folder)
        self.labelled = LabelledRows(self.facts.texts)
        selector = Selector(self.facts, self.labelled, hidden, damage[FACTS])
        self.words = self._open_words(selector, synonyms, damage[PACKS])
        rest = Rest(folder, self.manifest, self.numbering, hidden, selector)
        self.vectors = part.open(rest, max_read_bytes=max_read_bytes)
        self._part = part
        self.catalogue = LocalCatalogue(
            self.generation.scope, self.numbering, self.facts, self.labelled, records, bodies, damage[FACTS]
        )
        self.join: RowJoin | None = None
        self.read_bytes = 0
        if isinstance(self.vectors, MatrixVectors):
            self.join = RowJoin(self.numbering, self.vectors, self.words, self.facts, damage[FACTS])
            self.read_bytes = self.vectors.read_bytes

    @property
    def memory_bytes(self) -> int:
        """Estimate of the memory that it takes once queries have read all its records; `bench.many` measures it."""
        records = self.generation.records
        cached_bytes = _CACHED_RECORD_BYTES * min(records, MAX_CACHED)
        return max(_READER_BYTES, max_cached_bytes(records)) + _RECORD_BYTES * records + cached_bytes + self.read_bytes

    def prepare(self) -> None:
        """Compute what the first query would wait for.

        Raises:
            IndexCorrupt: A file is damaged.
        """
        with NamingDamage(self.folder / PACKS):
            _ = self.words.index, self.numbering.id_order
            if isinstance(self.vectors, MatrixVectors):
                _ = self.vectors.matrix

    def vector_blocks(self, old_packs: Collection[PackEntry] = ()) -> Iterator[Vectors]:
        """The vectors of all packs except `old_packs`, with one batch in memory at a time."""
        new = [number for number, pack in enumerate(self.manifest.packs) if pack not in old_packs]
        rows = np.flatnonzero(np.isin(self.numbering.names.places[:, 0], new))
        return self._part.blocks(self.vectors, self.numbering, rows)

    def written(self, ids: Sequence[str]) -> Sequence[int]:
        """Return the generation that last wrote each record; local vectors are never outdated."""
        return self.vectors.written(ids) if isinstance(self.vectors, IndexVectors) else whenever(ids)

    def _read_names(self) -> RowNames:
        blocks = [self._checked_bytes(name) for name in rows_files(self.manifest.files)]
        with NamingDamage(self.folder / ROWS):
            names = read_blocks(blocks, self.manifest.packs)
        self._check_rows(ROWS, len(names.ids))
        if len(names.docs) and int(names.docs.max()) > self.manifest.max_doc:
            raise corrupt(self.folder / ROWS, "contains records that its manifest does not list")
        return names

    def _read_facts(self, damage: NamingDamage) -> FactTable:
        data = self._checked_bytes(FACTS)
        with damage:
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

    def _check_rows(self, name: str, rows: int) -> None:
        if rows != self.generation.records:
            raise corrupt(self.folder / name, f"has {rows} rows instead of {self.generation.records}")

    def _open_words(self, selector: Selector, synonyms: SynonymSource, damage: NamingDamage) -> LocalWords:
        urls = self.facts.texts["url"]
        page_of = np.cumsum(np.concatenate([[0], urls.codes[1:] != urls.codes[:-1]])[: len(urls.codes)])
        kinds = self.facts.texts["kind"]
        is_summary = np.array([kind == "summary" for kind in kinds.distinct()], np.bool_)[kinds.codes]
        columns = RowColumns(page_of, self.facts.weights > 0, is_summary)
        ends = urls.take(np.array([0, -1])) if len(page_of) else ["", ""]  # in path order
        is_home = f"{ends[-1]}/".startswith(f"{ends[0].rstrip('/')}/")  # all pages are below the first one
        home = self.facts.texts["title"].take(np.arange(int(is_home and len(page_of) > 0)))
        with damage:
            packs = self._word_packs()
        # Without `self`: a reference cycle would keep files open until the garbage collector runs.
        prepare = partial(Words, packs, columns, selector.mask, synonyms, "".join(home))
        return LocalWords(prepare, self.numbering, urls, damage)

    def _word_packs(self) -> list[WordPack]:
        places = self.numbering.names.places
        packs = []
        for number, pack in enumerate(self.manifest.packs):
            words = PackWords.open(self.folder / words_file(pack.name))
            own = np.flatnonzero(places[:, 0] == number)
            packs.append(WordPack.of(words, places[own, 1], own))
        return packs


class RowJoin:
    """Implements `Join`."""

    def __init__(
        self, numbering: Numbering, vectors: MatrixVectors, words: LocalWords, facts: FactTable, damage: NamingDamage
    ) -> None:
        self._numbering = numbering
        self._vectors = vectors
        self._words = words
        self._facts = facts
        self._damage = damage

    def __call__(self, vector: Vector, text: str, *, top_k: int, where: Filter, watch: Watch) -> Candidates:
        """Return the candidates of words and vectors, joined by row number instead of id."""
        with watch("vector"):
            near, cosine = self._vectors.nearest_rows(vector, top_k, where)
        with watch("keyword"):
            worded, bm25 = self._words.best_rows(text, top_k, where)
            paged, page_bm25 = self._words.best_pages(text, top_k, where)
            (titled, of_title), (headed, of_heading) = self._words.named_rows(text, top_k, where)
        with watch("vector"):
            near_rows = set(near.tolist())
            others = np.array([row for row in worded.tolist() if row not in near_rows], np.int64)
            with self._damage:
                pages = self._facts.texts["url"].codes
                is_missing = ~np.isin(pages[titled], pages[np.concatenate([near, others])])
            others = np.concatenate([others, titled[is_missing]])
            cosine = np.concatenate([cosine, self._vectors.cosines(vector, others)])
        rows = np.concatenate([near, others])
        with self._damage:
            facts = self._facts.take(rows)
            count = len(pages)
            of_words = _column(worded, bm25, rows, count)
            of_page = _column(pages[paged], page_bm25, pages[rows], count)
            of_title = _column(pages[titled], of_title, pages[rows], count)
            of_heading = _column(headed, of_heading, rows, count)
        best = float(cosine[0]) if len(near) else -1.0
        return Candidates(self._numbering.ids_of(rows), facts, cosine, of_words, of_page, of_title, of_heading, best)


def _column(rows: Integers, scores: Scores, joined: Integers, count: int) -> Scores:
    """The score of each of `joined`; 0 for those that were not found. All are below `count`."""
    by_row = np.zeros(count)
    by_row[rows] = scores
    return by_row[joined]
