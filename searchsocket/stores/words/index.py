"""One index of tantivy, open for queries: the best documents, and among equals those that come first."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Occur, Query

from searchsocket.stores.base import Letters
from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.words.documents import EXACT, LOOSE, PLAIN, SAID, token
from searchsocket.stores.words.neighbours import Pair, Phrase
from searchsocket.system.files import temporary_folder
from searchsocket.text.storable import storable
from searchsocket.text.synonyms import Forms
from searchsocket.text.words import UNSPACED
from searchsocket.types import Filter

_MAX_CACHED = 4_096  # words
_MANY_TIES = 250  # so many are listed and sorted; of more, those that come first are looked for
_CUT_WORD = ".{32}"  # longer words lie in the vocabulary in pieces
_UNSPACED_WORD = f"[{UNSPACED}].*"
_MOST_LISTED = 2_000  # texts that may hold two words side by side: of more, only the wanted ones are looked into
_DIGITS = 4  # sums of floats in another order differ later than this

Term = tuple[str, float]  # a form that documents may hold, and what it is worth
Docs = NDArray[np.integer]  # numbers by which packs know a record, or the first one of a page
Scored = tuple[Docs, NDArray[np.float64]]
_TantivyHit = tuple[float, tantivy.DocAddress]


class WordIndex:
    """The words of all records, or of all pages; safe to share between threads."""

    def __init__(self, folder: Path, fields: Mapping[str, float], in_order: Docs) -> None:
        """Open an index.

        Args:
            fields: Those that are searched, and what a word is worth there.
            in_order: The `doc` number of every document, in the order in which equals are answered.
        """
        self._fields = fields
        self._in_order = in_order
        # Clauses: queries repeat each other's words.
        self._clauses = BoundedCache[Term, tuple[tuple[Occur, Query], ...]](_MAX_CACHED)
        if os.access(folder, os.W_OK):
            self._open(folder)
        else:
            # tantivy locks a folder even to read it, so it gets one of its own that names the same files.
            # It stays as long as the index: a thread of tantivy may still look into a folder that was just opened.
            view = temporary_folder(self, "searchsocket-words-")
            for path in folder.resolve().iterdir():
                if path.suffix != ".lock":
                    (view / path.name).symlink_to(path)
            self._open(view)

    def _open(self, folder: Path) -> None:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")  # a generation never changes: no thread that watches it
        index.reload()
        self.searcher = index.searcher()
        self.schema = index.schema

    def best(self, matching: Query, where: Filter, top_k: int) -> Scored:
        """The `top_k` best by falling score, and more of those that tie with the last one.

        They are at least those that come first in the order of ties; sorting by score and that order gives the answer.
        """
        query = self._filtered(matching, where)
        for limit in (top_k + 32, top_k + _MANY_TIES):
            hits, scores = self._search(query, limit)
            # tantivy orders equals by where they lie, which another build changes: take all of them in.
            if len(scores) < limit or scores[-1] < scores[top_k - 1]:
                return self._docs(hits), scores
        # A word that every page holds says nothing of any of them, so thousands tie.
        last = scores[top_k - 1]
        sure = int((scores > last).sum())
        tied = self._first_tied(query, float(last), top_k - sure)
        return np.concatenate([self._docs(hits[:sure]), tied]), np.append(scores[:sure], np.full(len(tied), last))

    def _search(self, query: Query, limit: int) -> tuple[list[_TantivyHit], NDArray[np.float64]]:
        """The best by falling score, among equals any; and the scores."""
        hits = self.searcher.search(query, limit=limit, count=False).hits
        return hits, np.array([score for score, _ in hits], np.float64).round(_DIGITS)

    def _docs(self, hits: Sequence[_TantivyHit]) -> Docs:
        return np.array(self.searcher.fast_field_values("doc", [address for _, address in hits]), np.int64)

    def _first_tied(self, query: Query, score: float, count: int) -> Docs:
        """The first documents of this very score in the order of ties, at least `count` where there are so many."""
        tied: list[Docs] = []
        start, size = 0, _MANY_TIES
        while sum(map(len, tied)) < count and start < len(self._in_order):
            some = self._in_order[start : start + size]
            among = Query.term_set_query(self.schema, "doc", some.tolist())
            within = [(Occur.Must, query), (Occur.Must, Query.const_score_query(among, 0.0))]
            hits, scores = self._search(Query.boolean_query(within), size)
            tied.append(self._docs(hits)[scores == score])
            start, size = start + size, size * 4
        return np.concatenate(tied)

    def _filtered(self, matching: Query, where: Filter) -> Query:
        clauses = [("dirs", where.path_prefix)] if where.path_prefix else []
        clauses += [("tags", storable(tag)) for tag in where.tags]
        terms = [Query.term_query(self.schema, field, token(value)) for field, value in clauses]
        terms += [
            Query.boolean_query([(Occur.Should, Query.term_query(self.schema, "labels", token(one))) for one in group])
            for group in groups_of(where)
        ]
        if where.directories:
            inside = [Query.term_query(self.schema, "dirs", token(each)) for each in where.directories]
            terms.append(Query.boolean_query([(Occur.Should, each) for each in inside]))
        musts = [(Occur.Must, Query.const_score_query(term, 0.0)) for term in terms]
        return Query.boolean_query([(Occur.Must, matching), *musts]) if musts else matching

    def best_named(self, worth: Mapping[str, float], where: Filter, top_k: int) -> Scored:
        """The documents with one of the names, by what that is worth; see `best`."""
        fields_present = [
            Query.const_score_query(Query.term_query(self.schema, "names", name), value)
            for name, value in worth.items()
            if self.searcher.doc_freq("names", name)
        ]
        if not fields_present or top_k <= 0:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        return self.best(Query.disjunction_max_query(fields_present), where, top_k)

    def every(self, matching: Query, where: Filter) -> Docs:
        """All documents that match, in no order."""
        query = self._filtered(Query.const_score_query(matching, 0.0), where)
        hits = self.searcher.search(query, limit=max(len(self._in_order), 1), count=False).hits
        return self._docs(hits)

    def shown(self) -> Query:
        """Documents that are not hidden."""
        return Query.term_query(self.schema, "dirs", token("/"))

    def holding(self, letters: Letters) -> Query:
        """Documents with a word that is these letters or, where they may be a part of one, that may hold them."""
        if letters.is_word:
            return Query.term_query(self.schema, PLAIN, letters.letters)
        patterns = [(PLAIN, f".*{letters.letters}.*"), (PLAIN, _CUT_WORD)]
        patterns += [(field, _UNSPACED_WORD) for field in self._fields]  # beside which no vocabulary has letters
        return Query.boolean_query(
            [(Occur.Should, Query.regex_query(self.schema, field, pattern)) for field, pattern in patterns]
        )

    def holding_exactly(self, alternatives: Sequence[Sequence[str]]) -> Query:
        """Documents with all tokens of one of the alternatives; those that are shown where there is none."""
        if not all(alternatives) or not alternatives:
            return self.shown()
        return Query.boolean_query([(Occur.Should, self._with_tokens(tokens)) for tokens in alternatives])

    def _with_tokens(self, tokens: Sequence[str]) -> Query:
        return Query.boolean_query([(Occur.Must, self._to_the_letter(token(one))) for one in tokens])

    def _to_the_letter(self, one: str) -> Query:
        """Documents whose text has a token."""
        fields = {field for field in (PLAIN, LOOSE, EXACT) if self.searcher.doc_freq(field, one)}
        term = {field: Query.term_query(self.schema, field, one, "basic") for field in fields or {EXACT}}
        if LOOSE in fields:
            term[PLAIN] = Query.boolean_query([(Occur.Must, term[PLAIN]), (Occur.MustNot, term.pop(LOOSE))])
        return _any_of(list(term.values()))

    def anywhere(self, term: str) -> Query | None:
        """Documents that hold the term in any field; None where none does."""
        clauses = list(self.clauses(term, 1.0))
        return Query.boolean_query(clauses) if clauses else None

    def count(self, query: Query) -> int:
        """The number of matching documents."""
        return int(self.searcher.search(query, limit=1, count=True).count)  # type: ignore[attr-defined]

    def among(self, query: Query, docs: Docs) -> frozenset[int]:
        """Those of some documents that match."""
        named = Query.term_set_query(self.schema, "doc", docs.tolist())
        both = Query.boolean_query([(Occur.Must, query), (Occur.Must, named)])
        return frozenset(self._docs(self.searcher.search(both, limit=max(len(docs), 1), count=False).hits).tolist())

    def any_of(self, forms: Iterable[Forms]) -> Query:
        """Pages that hold all words of one of the forms."""
        return Query.boolean_query([(Occur.Should, self.all_of(words, SAID)) for words in forms])

    def all_of(self, words: Forms, field: str) -> Query:
        """Documents that hold all the words, wherever they stand."""
        queries = [Query.term_query(self.schema, field, word, "freq") for word in words]
        return Query.boolean_query([(Occur.Must, query) for query in queries]) if len(queries) > 1 else queries[0]

    def share_of_pairs(self, pairs: Sequence[Pair], docs: Sequence[int]) -> dict[int, float]:
        """The shares of the pairs that it has, of each of some documents that has any, and of others."""
        if not pairs or not len(docs):
            return {}
        phrases = [phrase for pair in pairs for phrase in pair.phrases]
        listed = [phrase.most for phrase in phrases if phrase.most <= _MOST_LISTED]
        among = None
        if len(listed) < len(phrases):
            # A number is held by one document: as a word of it, it says at once which few texts to look into.
            among = _any_of([Query.term_query(self.schema, "doc", doc) for doc in docs])
        worth = [(_any_of([_within(phrase, among) for phrase in pair.phrases]), pair.share) for pair in pairs]
        hits, scores = self._search(_worth(worth), len(docs) + sum(listed))
        return dict(zip(self._docs(hits).tolist(), scores.tolist(), strict=True))

    def worth_at_least(self, queries: Sequence[tuple[Query, float]]) -> tuple[dict[int, float], float]:
        """The scores of the best documents, and an upper bound for every other one.

        Looking for some documents by number takes three times as long as listing these.
        """
        if not queries:
            return {}, 0.0
        hits, scores = self._search(_worth(queries), _MANY_TIES)
        least = float(scores[-1]) if len(hits) == _MANY_TIES else 0.0
        return dict(zip(self._docs(hits).tolist(), scores.tolist(), strict=True)), least

    def most(self, worth: Sequence[tuple[Query, float]]) -> float:
        """The greatest sum of what its matches are worth that a document reaches."""
        clauses = [(Occur.Should, Query.const_score_query(query, value)) for query, value in worth]
        hits = self.searcher.search(Query.boolean_query(clauses), limit=1, count=False).hits if clauses else []
        return float(hits[0][0]) if hits else 0.0

    def clauses(self, term: str, worth: float) -> tuple[tuple[Occur, Query], ...]:
        """The term in every one of the fields that holds it anywhere."""
        cached = self._clauses.values.get((term, worth))
        if cached is None:
            cached = tuple(
                (Occur.Should, Query.boost_query(Query.term_query(self.schema, field, term, "freq"), weight * worth))
                for field, weight in self._fields.items()
                if self.searcher.doc_freq(field, term)
            )
            self._clauses.remember_one((term, worth), cached)
        return cached


def _worth(queries: Sequence[tuple[Query, float]]) -> Query:
    """A query whose score is the sum of the matching queries."""
    return Query.boolean_query([(Occur.Should, Query.const_score_query(query, value)) for query, value in queries])


def _within(phrase: Phrase, among: Query | None) -> Query:
    """A phrase, in the wanted documents alone where many may have it."""
    return _both(phrase.query, among) if among and phrase.most > _MOST_LISTED else phrase.query


def _any_of(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Should, query) for query in queries])


def _both(one: Query, other: Query) -> Query:
    return Query.boolean_query([(Occur.Must, one), (Occur.Must, other)])
