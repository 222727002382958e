"""The words of a generation, open for queries, with its own numbers."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from searchsocket.stores.base import Letters, Named, TermHit, WordEvidence
from searchsocket.stores.base.vectors import canonical
from searchsocket.stores.local.catalogue.facts import TextColumn
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.words.bm25 import Best
from searchsocket.stores.words.keywords import Words
from searchsocket.system.arrays import Integers
from searchsocket.types import MATCH_ALL, Filter, Hit, Scores


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
