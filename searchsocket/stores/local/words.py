"""The words of a generation, open for queries, with its own numbers."""

import numpy as np

from searchsocket.stores.base import WordEvidence
from searchsocket.stores.base.vectors import canonical
from searchsocket.stores.local.catalogue.facts import TextColumn
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.words.keywords import Words
from searchsocket.types import MATCH_ALL, Filter, Hit, Scores


class LocalWords:
    """Implements `WordSnapshot`."""

    def __init__(self, words: Words, numbering: Numbering, urls: TextColumn, damage: NamingDamage) -> None:
        """Args: urls: of every row."""
        self.index = words
        self._numbering = numbering
        self._urls = urls
        self._damage = damage

    def search(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `WordSnapshot.search`."""
        rows, scores = self.best_rows(text, top_k, where)
        return list(map(Hit, self._numbering.ids_of(rows), scores.tolist()))

    def search_pages(self, text: str, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """See `WordSnapshot.search_pages`."""
        rows, scores = self.best_pages(text, top_k, where)
        return list(map(Hit, self._urls.take(rows), scores.tolist()))

    def evidence(self, text: str) -> WordEvidence:
        """See `WordSnapshot.evidence`."""
        with self._damage:
            return self.index.evidence(text)

    def best_rows(self, text: str, top_k: int, where: Filter) -> tuple[Rows, Scores]:
        """The rows of the best records, best first, and their scores."""
        with self._damage:
            docs, scores = self.index.search(text, canonical(where), top_k)
            rows = self._numbering.rows_of_docs(docs)
            best = np.lexsort((self._numbering.id_order[rows], -scores))[:top_k]
        return rows[best], scores[best]

    def best_pages(self, text: str, top_k: int, where: Filter) -> tuple[Rows, Scores]:
        """The best pages, each by the row of its first record, and their scores; rows are in path order."""
        with self._damage:
            docs, scores = self.index.search_pages(text, canonical(where), top_k)
            rows = self._numbering.rows_of_docs(docs)
        best = np.lexsort((rows, -scores))[:top_k]
        return rows[best], scores[best]
