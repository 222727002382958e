"""The words of a list of records, for a store that keeps no files: written, opened, in a folder that goes with it."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np

from searchsocket.stores.base.vectors import canonical
from searchsocket.stores.base.words import Letters, Named, TermHit, WordEvidence
from searchsocket.stores.words.documents import WordRow
from searchsocket.stores.words.keywords import Words
from searchsocket.stores.words.segments import write_words
from searchsocket.system.files import temporary_folder
from searchsocket.text.storable import storable
from searchsocket.text.synonyms import NO_SYNONYMS, SynonymSource
from searchsocket.types import MATCH_ALL, Filter, Hit, Record
from searchsocket.web.urls.paths import sort_key


class WordsOfRecords:
    """Implements `WordSource` and `WordSnapshot`: a record is known by its position in path order."""

    def __init__(self, records: Iterable[Record], synonyms: SynonymSource = NO_SYNONYMS) -> None:
        keys = [(_path(record.page.url), record.chunk.ordinal, record.id, record) for record in records]
        self._records = [key[-1] for key in sorted(keys, key=lambda key: key[:-1])]
        self._ids = [record.id for record in self._records]
        by_id = np.array(sorted(range(len(self._ids)), key=self._ids.__getitem__), np.int64)
        self._id_order = np.empty(len(by_id), np.int64)
        self._id_order[by_id] = np.arange(len(by_id))
        urls = [record.page.url for record in self._records]
        firsts = [doc for doc, url in enumerate(urls) if doc == 0 or url != urls[doc - 1]]
        # It stays as long as it is asked: a thread of tantivy may still look into a folder that was just opened.
        folder = temporary_folder(self, "searchsocket-words-")
        write_words(folder, self, None)
        self._words = Words(folder, by_id, np.array(firsts, np.int64), synonyms)

    def count(self) -> int:
        """See `WordSource.count`."""
        return len(self._records)

    def touched(self) -> list[bytes]:
        """See `WordSource.touched`."""
        return list(dict.fromkeys(_path(record.page.url) for record in self._records))

    def pages(self, paths: Iterable[bytes]) -> Iterator[list[WordRow]]:
        """See `WordSource.pages`."""
        wanted = set(paths)
        rows = (_row(doc, record) for doc, record in enumerate(self._records))
        for path, page in groupby(rows, key=lambda row: row.sort):
            if path in wanted:
                yield list(page)

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
        docs = [self._ids.index(id_) for id_ in ids]
        found = self._words.neighbours(text, docs)
        return [found.get(doc, 0.0) for doc in docs]

    def together(self, text: str, ids: Sequence[str]) -> list[float]:
        """See `WordSnapshot.together`."""
        docs = [self._ids.index(id_) for id_ in ids]
        found = self._words.together(text, docs)
        return [found[doc] for doc in docs]

    def meant(self, text: str) -> str:
        """See `WordSnapshot.meant`."""
        return self._words.meant(text)

    def pages_with(self, letters: Sequence[Letters], *, where: Filter = MATCH_ALL) -> list[str]:
        """See `WordSnapshot.pages_with`."""
        found = [self._words.with_letters(one, canonical(where)).tolist() for one in letters or (None,)]
        pages = [{self._records[doc].page.url for doc in docs} for docs in found]
        wanted = set.intersection(*pages)
        return [url for url in dict.fromkeys(record.page.url for record in self._records) if url in wanted]

    def rarities(self, text: str) -> dict[str, float]:
        """See `WordSnapshot.rarities`."""
        return self._words.rarities(text)

    def holding(self, alternatives: Sequence[Sequence[str]], *, where: Filter = MATCH_ALL) -> list[str]:
        """See `WordSnapshot.holding`."""
        return [self._ids[doc] for doc in sorted(self._words.with_tokens(alternatives, canonical(where)).tolist())]

    def by_rarity(self, terms: Sequence[str], *, top_k: int) -> list[TermHit]:
        """See `WordSnapshot.by_rarity`."""
        hits = [TermHit(self._ids[doc], score, held) for doc, score, held in self._words.by_rarity(terms, top_k)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:top_k]

    def evidence(self, text: str) -> WordEvidence:
        """See `WordSnapshot.evidence`."""
        return self._words.evidence(text)


def _path(url: str) -> bytes:
    return sort_key(storable(url)).encode()


def _row(doc: int, record: Record) -> WordRow:
    return WordRow(
        doc=doc,
        sort=_path(record.page.url),
        kind=record.chunk.kind,
        weight=record.page.weight,
        url=storable(record.page.url),
        tags=_json(record.page.tags),
        language=storable(record.page.language),
        facets=_json(record.page.facets),
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
