"""The fast path of `search.find`: the lists are joined by row, so that nothing is looked up by id."""

from itertools import repeat

import numpy as np

from searchsocket.stores.base import Candidates, Watch
from searchsocket.stores.local.catalogue.facts import FactTable
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.stores.local.numbering import Numbering, Rows
from searchsocket.stores.local.vectors.snapshot import MatrixVectors
from searchsocket.stores.local.words import LocalWords
from searchsocket.types import Filter, Scores, Vector


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
        """See `search.find.join`."""
        with watch("vector"):
            near, cosine = self._vectors.nearest_rows(vector, top_k, where)
        with watch("keyword"):
            worded, bm25 = self._words.best_rows(text, top_k, where)
            paged, page_bm25 = self._words.best_pages(text, top_k, where)
            (titled, of_title), (headed, of_heading) = self._words.named_rows(text, top_k, where)
        with watch("vector"):
            near_rows = set(near.tolist())
            others = np.array([row for row in worded.tolist() if row not in near_rows], np.int64)
            cosine = np.concatenate([cosine, self._vectors.cosines(vector, others)])
        rows = np.concatenate([near, others])
        with self._damage:
            facts = self._facts.take(rows)
            pages = self._facts.texts["url"].codes
            of_words = _column(worded, bm25, rows)
            of_page = _column(pages[paged], page_bm25, pages[rows])
            of_title = _column(pages[titled], of_title, pages[rows])
            of_heading = _column(headed, of_heading, rows)
        best = float(cosine[0]) if len(near) else -1.0
        return Candidates(self._numbering.ids_of(rows), facts, cosine, of_words, of_page, of_title, of_heading, best)


def _column(rows: Rows, scores: Scores, joined: Rows) -> Scores:
    """The score of each of `joined`; 0 for those that were not found."""
    if not len(rows):
        return np.zeros(len(joined))
    by_row = dict(zip(rows.tolist(), scores.tolist(), strict=True))
    return np.array(list(map(by_row.get, joined.tolist(), repeat(0.0))), np.float64)
