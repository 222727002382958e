"""Rank records and pages by the words that they contain.

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with k1 = 1.2 and b = .75, the
values of Lucene. A field is scored by itself. Lengths are rounded as Lucene does, to four binary digits.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.words.fields import BODY, CODE, OWN, SCORED_FIELDS, TITLE
from searchsocket.stores.words.index import Counts, Matches, Rows, WordIndex
from searchsocket.types import Scores

K1, B = 1.2, 0.75
_EXACT_LENGTHS = 24  # lengths above it are this and a number of four binary digits
_DIGITS = 4  # decimals of a score: sums of floats agree in any order up to here
_MAX_CACHED = 64  # terms: those of a query or two, since each takes up to 50 bytes per record

# Records or pages, and the score of each; those of a term take half the bytes of a result.
Scored = tuple[NDArray[np.signedinteger[Any]], NDArray[np.floating[Any]]]
Best = tuple[Rows, Scores]
NOTHING: Best = np.empty(0, np.int64), np.empty(0, np.float64)


class RowColumns(NamedTuple):
    """Columns of all records that the scores need, in path order."""

    page_of: Rows  # the number of its page, ascending
    is_shown: NDArray[np.bool_]  # False: its page has weight 0
    is_summary: NDArray[np.bool_]  # repeats the text of its page, or has text that readers do not see


class TermScores(NamedTuple):
    """The records and pages with a term."""

    records: Scored  # a record has one score per field with the term
    fields: NDArray[np.uint8]  # of each of these scores
    by_field: Counts  # the number of records with the term, per scored field
    pages: Scored  # with the term in their text
    own_pages: Scored  # with the term in their headings


_ABSENT = TermScores(NOTHING, np.empty(0, np.uint8), np.zeros(len(SCORED_FIELDS), np.int64), NOTHING, NOTHING)


def idf(documents: int, counts: Any) -> Any:
    """The inverse document frequency of terms that `counts` of the documents contain; a number or an array."""
    return np.log1p((documents - counts + 0.5) / (counts + 0.5))


class WordScores:
    """Scores of the records and pages of a generation; safe to share between threads.

    A page is one document, with the words of its title and of the texts of its records.
    """

    def __init__(self, index: WordIndex, rows: RowColumns, boosts: Sequence[float], own_boost: float) -> None:
        """Create the scores.

        Args:
            boosts: The weight of each of `RECORD_FIELDS`.
            own_boost: The weight of words in the headings of a page, beside that of words in its text.
        """
        self.index = index
        self.page_of = rows.page_of
        self.page_count = int(rows.page_of[-1]) + 1 if len(rows.page_of) else 0
        self.first_rows = np.searchsorted(rows.page_of, np.arange(self.page_count))  # of each page
        self.is_first = np.zeros(index.count, np.bool_)  # of the shown records of its page
        shown = np.flatnonzero(rows.is_shown)
        self.is_first[shown[np.unique(rows.page_of[shown], return_index=True)[1]]] = True
        self._boosts = np.array([*boosts, 0.0])  # of `SCORED_FIELDS`
        self._own_boost = own_boost
        # By field and row: whether a page has the words of this field of the record in its text.
        self._is_text = np.zeros((len(SCORED_FIELDS), index.count), np.bool_)
        self._is_text[[BODY, CODE]] = rows.is_shown & ~rows.is_summary
        self._is_text[TITLE] = self.is_first
        lengths = index.lengths()
        self._norms = _norms(lengths)
        texts, own = (lengths * self._is_text).sum(axis=0), lengths[OWN] * rows.is_shown
        by_page = [np.bincount(self.page_of, counts, self.page_count) for counts in (texts, own)]
        self._text_norms, self._own_norms = _norms(np.stack(by_page).astype(np.int64))
        self._cache = BoundedCache[str, TermScores](_MAX_CACHED)

    def of(self, term: str) -> TermScores:
        """The scores of a term."""
        scores = self._cache.values.get(term)
        if scores is None:
            scores = self._read([term])[term] if self.index.has(term) else _ABSENT
        return scores

    def read_ahead(self, terms: Iterable[str]) -> None:
        """Compute the scores of many terms at once, which takes less time than one after the other."""
        known = self._cache.values
        if missing := [term for term in dict.fromkeys(terms) if term not in known and self.index.has(term)]:
            self._read(missing)

    def of_phrase(self, phrase: Sequence[str]) -> Scored:
        """The scores of the records with a phrase, one per field."""
        rarities = np.sum([idf(self.index.count, self.of(term).by_field) for term in phrase], axis=0) * self._boosts
        everywhere = np.ones(self.index.count, np.bool_)
        scored = [NOTHING]
        for field in np.flatnonzero(rarities).tolist():
            places = self.index.places(phrase[0], [field], everywhere)
            for distance, term in enumerate(phrase[1:], 1):
                places = places[np.isin(places + distance, self.index.places(term, [field], everywhere))]
            rows, counts = np.unique(self.index.rows_of_places(places), return_counts=True)
            scored.append((rows, _bm25(rarities[field], counts, self._norms[field, rows])))
        return joined(scored)

    def pages_with_all(self, terms: Sequence[str]) -> Scored:
        """The pages whose text contains all terms, and the sums of their scores."""
        if len(terms) == 1:
            return self.of(terms[0]).pages
        scored = [self.of(term).pages for term in terms]
        pages = reduce(np.intersect1d, [own for own, _ in scored])
        return pages, np.sum([scores[np.isin(own, pages)] for own, scores in scored], axis=0)

    def _read(self, terms: Sequence[str]) -> dict[str, TermScores]:
        matches = self.index.matches(terms)
        rarities = self._boosts * idf(self.index.count, matches.by_field)
        scores = _bm25(rarities[matches.term, matches.field], matches.counts, self._norms[matches.field, matches.rows])
        ends = [0, *np.cumsum(matches.by_field.sum(axis=1)).tolist()]
        pages = self._pages(matches, self._is_text[matches.field, matches.rows], 1.0, self._text_norms)
        own_pages = self._pages(matches, matches.field == OWN, self._own_boost, self._own_norms)
        rows, scores = matches.rows.astype(np.int32), scores.astype(np.float32)  # to be cached
        read = {
            term: TermScores((rows[first:last], scores[first:last]), matches.field[first:last], by_field, *own_pages)
            for term, (first, last), by_field, *own_pages in zip(
                terms, pairwise(ends), matches.by_field, pages, own_pages, strict=True
            )
        }
        self._cache.remember(read)
        return read

    def _pages(
        self, matches: Matches, chosen: NDArray[np.bool_], boost: float, norms: NDArray[np.float32]
    ) -> list[Scored]:
        """The scores of the pages with each term, by the chosen matches."""
        terms, size = len(matches.by_field), max(self.page_count, 1)
        keys = matches.term[chosen] * size + self.page_of[matches.rows[chosen]]
        totals = np.bincount(keys, matches.counts[chosen], terms * size)
        keys = np.flatnonzero(totals)
        term, pages = np.divmod(keys, size)
        by_term = np.bincount(term, minlength=terms)
        scores = _bm25((boost * idf(self.page_count, by_term))[term], totals[keys], norms[pages])
        ends = [0, *np.cumsum(by_term).tolist()]
        return [(pages[first:last], scores[first:last]) for first, last in pairwise(ends)]


def joined(scored: Sequence[Scored]) -> Scored:
    """All scores together."""
    rows, scores = zip(*scored, strict=True)
    return np.concatenate(rows), np.concatenate(scores)


def best(scored: Sequence[Scored], size: int, top_k: int, is_allowed: Callable[[Rows], NDArray[np.bool_]]) -> Best:
    """The documents with the highest sums of scores, and all that tie with the last one, in no particular order.

    Args:
        size: The number of all documents.
        is_allowed: Returns True for each document that may be returned.
    """
    if not scored or top_k <= 0:
        return NOTHING
    totals = np.bincount(*joined(scored), size).astype(np.float64)
    documents = np.flatnonzero(totals)
    return top(documents[is_allowed(documents)], totals, top_k)


def top(documents: Rows, totals: Scores, top_k: int) -> Best:
    """The best of some documents, and all that tie with the last one; `totals` has the score of every document."""
    scores = totals[documents].round(_DIGITS)
    if len(scores) > top_k:
        is_best = scores >= np.partition(scores, len(scores) - top_k)[len(scores) - top_k]
        documents, scores = documents[is_best], scores[is_best]
    return documents, scores


def _bm25(rarities: Any, counts: NDArray[Any], norms: NDArray[np.float32]) -> NDArray[np.float64]:
    """The score of each document with a term.

    Args:
        rarities: Weight times `idf`, of the term.
        counts: How often each document contains it.
        norms: See `_norms`, of each document.
    """
    scores: NDArray[np.float64] = rarities * (K1 + 1) * counts / (counts + norms)
    return scores


def _norms(lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Addends to the count of a term in BM25, by the length of the document; shape (fields, documents) as `lengths`."""
    averages = np.maximum(lengths.sum(axis=1, keepdims=True) / max(lengths.shape[1], 1), 1e-9)
    added: NDArray[np.float64] = K1 * (1 - B + B * _rounded(lengths) / averages)
    return added.astype(np.float32)


def _rounded(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    above = np.maximum(lengths - _EXACT_LENGTHS, 1)
    unit = np.maximum(np.floor(np.log2(above)).astype(np.int64) - 3, 0)
    return np.where(lengths <= _EXACT_LENGTHS, lengths, ((above >> unit) << unit) + _EXACT_LENGTHS)
