"""The words of a list of records in memory, for a store that keeps no files."""

import json
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.index_reader import Letters, Named, TermHit, WordEvidence
from searchsocket.stores.base.vectors import canonical, row_of
from searchsocket.stores.words.bm25 import RowColumns
from searchsocket.stores.words.documents import WordRow, words_of
from searchsocket.stores.words.index import WordPack
from searchsocket.stores.words.keywords import Words
from searchsocket.text.hidden import storable
from searchsocket.text.synonyms import NO_SYNONYMS, SynonymSource
from searchsocket.types import MATCH_ALL, Filter, Hit, Record
from searchsocket.web.urls.paths import sort_key
from tests.memory_store.vectors import matches


class WordsOfRecords:
    """Implements `WordSnapshot`: a record is known by its position in path order."""

    def __init__(self, records: Iterable[Record], synonyms: SynonymSource = NO_SYNONYMS) -> None:
        keys = [(_path(record.page.url), record.chunk.ordinal, record.id, record) for record in records]
        self._records = [key[-1] for key in sorted(keys, key=lambda key: key[:-1])]
        self._ids = [record.id for record in self._records]
        by_id = np.array(sorted(range(len(self._ids)), key=self._ids.__getitem__), np.int64)
        self._id_order = np.empty(len(by_id), np.int64)
        self._id_order[by_id] = np.arange(len(by_id))
        everything = np.arange(len(by_id))
        urls = [record.page.url for record in self._records]
        columns = RowColumns(
            np.array([len(set(urls[: row + 1])) - 1 for row in everything.tolist()], np.int64),
            np.array([record.page.weight > 0 for record in self._records], np.bool_),
            np.array([record.chunk.kind == "summary" for record in self._records], np.bool_),
        )
        packs = [WordPack.of(words_of(map(_row, self._records)), everything, everything)]
        self._words = Words(packs, columns, self._select, synonyms)

    def _select(self, where: Filter) -> NDArray[np.bool_]:
        vector = np.zeros(1, np.float32)
        return np.array([matches(row_of(record, vector), where) for record in self._records], np.bool_)

    def search(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `WordSnapshot.search`."""
        docs, scores = self._words.search(text, canonical(where), top_k)
        best = np.lexsort((self._id_order[docs], -scores))[:top_k]
        return [Hit(self._ids[docs[i]], float(scores[i])) for i in best]

    def search_pages(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `WordSnapshot.search_pages`."""
        docs, scores = self._words.search_pages(text, canonical(where), top_k)
        best = np.lexsort((docs, -scores))[:top_k]
        return [Hit(self._records[docs[i]].page.url, float(scores[i])) for i in best]

    def named(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> Named:
        """See `WordSnapshot.named`."""
        pages, of_pages = self._words.named_pages(text, canonical(where), top_k)
        docs, scores = self._words.named_records(text, canonical(where), top_k)
        best, paged = np.lexsort((self._id_order[docs], -scores))[:top_k], np.lexsort((pages, -of_pages))[:top_k]
        return Named(
            [Hit(self._records[pages[i]].page.url, float(of_pages[i])) for i in paged],
            [Hit(self._ids[docs[i]], float(scores[i])) for i in best],
        )

    def neighbours(self, text: str, ids: Sequence[str]) -> list[float]:
        """See `WordSnapshot.neighbours`."""
        shares: list[float] = self._words.neighbours(text, self._rows(ids)).tolist()
        return shares

    def sentences(self, text: str, ids: Sequence[str]) -> list[bool]:
        """See `WordSnapshot.sentences`."""
        is_close: list[bool] = self._words.sentences(text, self._rows(ids)).tolist()
        return is_close

    def word_proximity(self, text: str, ids: Sequence[str]) -> list[float]:
        """See `WordSnapshot.word_proximity`."""
        shares: list[float] = self._words.word_proximity(text, self._rows(ids)).tolist()
        return shares

    def _rows(self, ids: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self._ids.index(id_) for id_ in ids], np.int64)

    def satisfying(self, text: str, ids: Sequence[str]) -> list[bool]:
        """See `WordSnapshot.satisfying`."""
        satisfies: list[bool] = self._words.satisfying(text, self._rows(ids)).tolist()
        return satisfies

    def corrected(self, text: str) -> str:
        """See `WordSnapshot.corrected`."""
        return self._words.corrected(text)

    def pages_with(self, letters: Sequence[Letters], *, where: Filter = MATCH_ALL) -> list[str]:
        """See `WordSnapshot.pages_with`."""
        results = [self._words.with_letters(letter, canonical(where)).tolist() for letter in letters or (None,)]
        pages = [{self._records[doc].page.url for doc in docs} for docs in results]
        expected = set.intersection(*pages)
        return [url for url in dict.fromkeys(record.page.url for record in self._records) if url in expected]

    def rarities(self, text: str) -> dict[str, float]:
        """See `WordSnapshot.rarities`."""
        return self._words.rarities(text)

    def holding(self, alternatives: Sequence[Sequence[str]], *, where: Filter = MATCH_ALL) -> list[str]:
        """See `WordSnapshot.holding`."""
        return [self._ids[doc] for doc in sorted(self._words.with_tokens(alternatives, canonical(where)).tolist())]

    def by_rarity(self, terms: Sequence[str], *, top_k: int) -> list[TermHit]:
        """See `WordSnapshot.by_rarity`."""
        hits = [
            TermHit(self._ids[doc], score, term_count) for doc, score, term_count in self._words.by_rarity(terms, top_k)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def evidence(self, text: str) -> WordEvidence:
        """See `WordSnapshot.evidence`."""
        return self._words.evidence(text)


def _path(url: str) -> bytes:
    return sort_key(storable(url)).encode()


def _row(record: Record) -> WordRow:
    return WordRow(
        kind=record.chunk.kind,
        weight=record.page.weight,
        url=storable(record.page.url),
        title=storable(record.page.title),
        at_heading_path=_json(record.chunk.at.heading_path),
        at_title=getattr(record.chunk.at, "title", None) if not hasattr(record.chunk.at, "symbol") else None,
        at_symbol=getattr(record.chunk.at, "symbol", None),
        link_texts=_json(record.page.link_texts),
        body=type(record.chunk.body).__name__,
        body_text=storable(record.chunk.body.text),
    )


def _json(items: Sequence[str]) -> str:
    return json.dumps([storable(item) for item in items], ensure_ascii=False)
