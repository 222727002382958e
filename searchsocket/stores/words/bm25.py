"""Rank records and pages by the words that they contain.

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with k1 = 1.2 and b = .75, the
values of Lucene. A field is scored by itself. Lengths are rounded as Lucene does, to four binary digits.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.words.index import Counts, Occurrences, Rows, WordIndex
from searchsocket.stores.words.pack_words import BODY, CODE, OWN, RECORD_FIELDS, SCORED_FIELDS, TITLE
from searchsocket.system.arrays import Integers
from searchsocket.types import Scores

K1, B = 1.2, 0.75
_EXACT_LENGTHS = 24  # lengths above it are this and a number of four binary digits
_DIGITS = 4  # decimals of a score: sums of floats agree in any order up to here
_MAX_CACHED = 4_000_000  # numbers of 4 bytes: the scores of cached terms
_MAX_CACHED_PER_RECORD = 600  # likewise, since a service may have hundreds of small indexes open
_MIN_CACHED = 20  # terms that every record has, if the index is large
_TERM_SIZE = 400  # numbers that take as many bytes as a term without scores
_DENSE = 8  # a term of one record in as many is stored as a number per record

# Distinct records or pages, and the score of each; a slice is all of them.
Scored = tuple[NDArray[np.signedinteger] | slice, NDArray[np.floating]]
Best = tuple[Rows, Scores]
NOTHING: Best = np.empty(0, np.int64), np.empty(0, np.float64)
_NO_ROWS = np.empty(0, np.int32)


class RowColumns(NamedTuple):
    """Columns of all records that the scores need, in path order."""

    page_of: Rows  # the number of its page, ascending
    is_shown: NDArray[np.bool_]  # False: its page has weight 0
    is_summary: NDArray[np.bool_]  # repeats the text of its page, or has text that readers do not see


class TermScores(NamedTuple):
    """The scores of the records and pages with a term."""

    by_field: Counts  # the number of records with the term, per scored field
    records: Sequence[Scored]  # by field; a record's score is the sum
    text_records: NDArray[np.int32]  # records with the term in their text, in no particular order; some twice
    text_pages: NDArray[np.int32]  # pages with the term in their text
    pages: Sequence[Scored]  # of these pages
    own_pages: Sequence[Scored]  # of pages with the term in their headings

    def size(self) -> int:
        """The number of 4-byte numbers that the scores take."""
        scored = chain(self.records, self.pages, self.own_pages)
        own = sum(len(scores) + (0 if isinstance(rows, slice) else len(rows)) for rows, scores in scored)
        return _TERM_SIZE + len(self.text_records) + len(self.text_pages) + own


_ABSENT = TermScores(np.zeros(len(SCORED_FIELDS), np.int64), (), _NO_ROWS, _NO_ROWS, (), ())


def _max_cached(records: int) -> int:
    return max(min(_MAX_CACHED, _MAX_CACHED_PER_RECORD * records), _MIN_CACHED * records)


def max_cached_bytes(records: int) -> int:
    """The most that the cached scores of an index with so many records take."""
    return 4 * _max_cached(records)


def idf(documents: int, counts: int | Rows) -> NDArray[np.float64]:
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
        self._boosts = boosts
        self._own_boost = own_boost
        lengths = index.lengths()
        self._norms = _norms(lengths[: len(RECORD_FIELDS)])
        # By field, the page that has the words of a record in its text; the number after all pages is none.
        no_page = np.full(index.count, self.page_count)
        of_text = np.where(rows.is_shown & ~rows.is_summary, self.page_of, no_page)
        self._text_pages = {TITLE: np.where(self.is_first, self.page_of, no_page), BODY: of_text, CODE: of_text}
        self._own_pages = {OWN: self.page_of}
        self._text_norms, self._own_norms = (
            _norms(self._page_counts([(of_page, lengths[field]) for field, of_page in pages.items()])[np.newaxis])[0]
            for pages in (self._text_pages, self._own_pages)
        )
        self._cache = BoundedCache[str, TermScores](_max_cached(index.count), TermScores.size)

    def of(self, term: str) -> TermScores:
        """The scores of a term."""
        scores = self._cache.values.get(term)
        if scores is None:
            scores = self._read(term) if self.index.has(term) else _ABSENT
            self._cache.remember_one(term, scores)
        return scores

    def of_phrase(self, phrase: Sequence[str]) -> Best:
        """The scores of the records with a phrase."""
        rarities = np.sum([idf(self.index.count, self.of(term).by_field) for term in phrase], axis=0)
        totals = np.zeros(self.index.count)
        for field, (rows, _) in self.index.occurrences(phrase[0]).items():
            if field == OWN:
                continue
            positions = self.index.positions(phrase[0], [field], rows)
            for distance, term in enumerate(phrase[1:], 1):
                others = self.index.positions(term, [field], np.unique(self.index.rows_of(positions)))
                positions = positions[np.isin(positions + distance, others)]
            in_rows, counts = np.unique(self.index.rows_of(positions), return_counts=True)
            rarity = float(self._boosts[field] * rarities[field])
            totals[in_rows] += _bm25(rarity, counts, self._norms[field][in_rows])
        rows = (totals > 0).nonzero()[0]
        return rows, totals[rows]

    def pages_with_all(self, terms: Sequence[str]) -> NDArray[np.signedinteger]:
        """The pages whose text contains all terms."""
        return reduce(np.intersect1d, [self.of(term).text_pages for term in terms])

    def of_all(self, terms: Sequence[str]) -> Best:
        """The pages whose text contains all terms, and the sums of their scores for their text."""
        pages, totals = self.pages_with_all(terms), np.zeros(self.page_count)
        for rows, scores in chain.from_iterable(self.of(term).pages for term in terms):
            totals[rows] += scores
        return pages.astype(np.int64), totals[pages]

    def _read(self, term: str) -> TermScores:
        occurrences = self.index.occurrences(term)
        by_field = np.zeros(len(SCORED_FIELDS), np.int64)
        records: list[Scored] = []
        for field, (rows, counts) in occurrences.items():
            by_field[field] = len(rows)
            if field != OWN:
                rarity = self._boosts[field] * float(idf(self.index.count, len(rows)))
                records.append((rows, _bm25(rarity, counts, self._norms[field][rows])))
        in_text, of_text = self._pages(occurrences, self._text_pages, 1.0, self._text_norms)
        _, of_own = self._pages(occurrences, self._own_pages, self._own_boost, self._own_norms)
        pages = _compact([of_text], self.page_count), _compact([of_own], self.page_count)
        rows_in_text = [occurrences[field].rows for field in (BODY, CODE) if field in occurrences]
        return TermScores(
            by_field,
            _compact(records, self.index.count),
            np.concatenate([NOTHING[0], *rows_in_text], dtype=np.int32, casting="same_kind"),
            in_text.astype(np.int32),
            *pages,
        )

    def _pages(
        self,
        occurrences: Mapping[int, Occurrences],
        pages: Mapping[int, Rows],
        boost: float,
        norms: NDArray[np.float32],
    ) -> tuple[Rows, Scored]:
        """The pages with a term in some fields, and their scores."""
        counted = [(pages[field][rows], counts) for field, (rows, counts) in occurrences.items() if field in pages]
        if not counted:
            return NOTHING[0], NOTHING
        totals = self._page_counts(counted)
        with_term = (totals > 0).nonzero()[0]
        rarity = boost * float(idf(self.page_count, len(with_term)))
        return with_term, (with_term, _bm25(rarity, totals[with_term], norms[with_term]))

    def _page_counts(self, counted: Sequence[tuple[Rows, Integers]]) -> Counts:
        """The sum of the counts of each page."""
        totals = np.zeros(self.page_count + 1)
        for pages, counts in counted:
            totals += np.bincount(pages, counts, len(totals))
        return totals[:-1].astype(np.int64)


def _compact(scored: Sequence[Scored], size: int) -> Sequence[Scored]:
    """The same scores in fewer bytes, to be cached; if there are many, the sum for each of all `size` documents."""
    if sum(len(scores) for _, scores in scored) * _DENSE < size:
        return [(rows.astype(np.int32) if isinstance(rows, np.ndarray) else rows, scores) for rows, scores in scored]
    totals = np.zeros(size, np.float32)
    for rows, scores in scored:
        totals[rows] += scores
    return [(slice(None), totals)]


def best(
    scored: Sequence[tuple[Scored, float]], size: int, top_k: int, is_allowed: Callable[[Rows], NDArray[np.bool_]]
) -> Best:
    """The documents with the highest sums of scores, and all that tie with the last one, in no particular order.

    Args:
        scored: Scores, and the factor of each.
        size: The number of all documents.
        is_allowed: Returns True for each document that may be returned.
    """
    if not scored or top_k <= 0:
        return NOTHING
    totals: Scores = np.zeros(size)
    for (documents, own), weight in scored:
        totals[documents] += own * weight
    matches = (totals > 0).nonzero()[0]
    return top(matches[is_allowed(matches)], totals, top_k)


def top(documents: Rows, totals: Scores, top_k: int) -> Best:
    """The best of some documents, and all that tie with the last one; `totals` has the score of every document."""
    scores: Scores = totals[documents].round(_DIGITS)
    if len(scores) > top_k:
        is_best = scores >= np.partition(scores, len(scores) - top_k)[len(scores) - top_k]
        documents, scores = documents[is_best], scores[is_best]
    return documents, scores


def _bm25(rarity: float, counts: NDArray[np.number], norms: NDArray[np.float32]) -> NDArray[np.float32]:
    """The score of each document with a term.

    Args:
        rarity: Weight times `idf`, of the term.
        counts: How often each document contains it.
        norms: See `_norms`, of each document.
    """
    frequencies = counts.astype(np.float32)
    shares: NDArray[np.float32] = frequencies / (frequencies + norms)
    return shares * np.float32(rarity * (K1 + 1))


def _norms(lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Addends to the count of a term in BM25, by the length of the document; shape (fields, documents) as `lengths`."""
    averages = np.maximum(lengths.sum(axis=1, keepdims=True) / max(lengths.shape[1], 1), 1e-9)
    added: NDArray[np.float64] = K1 * (1 - B + B * _rounded(lengths) / averages)
    return added.astype(np.float32)


def _rounded(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    above = np.maximum(lengths - _EXACT_LENGTHS, 1)
    unit = np.maximum(np.floor(np.log2(above)).astype(np.int64) - 3, 0)
    return np.where(lengths <= _EXACT_LENGTHS, lengths, ((above >> unit) << unit) + _EXACT_LENGTHS)


class Rare(NamedTuple):
    """A record that contains some of the terms."""

    row: int
    score: float
    terms: tuple[str, ...]


def best_by_rarity(scores: WordScores, terms: Sequence[str], top_k: int) -> list[Rare]:
    """The best records and those that tie with the last, in no order; see `WordSnapshot.by_rarity`."""
    count = scores.index.count
    rows_of = {term: rows for term in dict.fromkeys(terms) if len(rows := _rows(scores, term))}
    if not rows_of or top_k <= 0:
        return []
    weights = {term: math.log1p(count / len(rows)) for term, rows in rows_of.items()}
    totals = np.zeros(count)
    for term, rows in rows_of.items():
        totals[rows] += weights[term]
    best, _ = top(np.flatnonzero(totals > 0), totals, top_k)
    among = {term: frozenset(rows[np.isin(rows, best)].tolist()) for term, rows in rows_of.items()}
    matches = [(row, tuple(term for term in rows_of if row in among[term])) for row in best.tolist()]
    return [Rare(row, math.fsum(weights[term] for term in own), own) for row, own in matches]


def _rows(scores: WordScores, term: str) -> Rows:
    """The records with a term in any searched field."""
    occurrences = scores.index.occurrences(term)
    return np.unique(np.concatenate([NOTHING[0], *(own.rows for field, own in occurrences.items() if field != OWN)]))
