"""One tantivy index, open for queries: the best documents, with ties in a fixed order."""

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
_MANY_TIES = 250  # up to this many ties are listed and sorted; beyond it, the first ones are searched for
_CUT_WORD = ".{32}"  # the vocabulary contains longer words in pieces of this length
_UNSPACED_WORD = f"[{UNSPACED}].*"
_MOST_LISTED = 2_000  # texts that may contain two adjacent words: beyond it, only the requested texts are searched
_DIGITS = 4  # decimals on which sums of floats agree in any order

Term = tuple[str, float]  # a form that documents may contain, and its weight
Docs = NDArray[np.integer]  # numbers of records in packs, or of the first record of a page
Scored = tuple[Docs, NDArray[np.float64]]
_TantivyHit = tuple[float, tantivy.DocAddress]


class WordIndex:
    """The words of all records, or of all pages; safe to share between threads."""

    def __init__(self, folder: Path, fields: Mapping[str, float], in_order: Docs) -> None:
        """Open an index.

        Args:
            fields: The searched fields, and the weight of a word in each.
            in_order: The `doc` number of every document, in the order of ties.
        """
        self._fields = fields
        self._in_order = in_order
        # A cache of clauses, because queries share words.
        self._clauses = BoundedCache[Term, tuple[tuple[Occur, Query], ...]](_MAX_CACHED)
        if os.access(folder, os.W_OK):
            self._open(folder)
        else:
            # tantivy locks a folder even to read it, so it gets a folder of symbolic links to the same files.
            # The folder stays as long as the index: a tantivy thread may still read a folder that was just opened.
            view = temporary_folder(self, "searchsocket-words-")
            for path in folder.resolve().iterdir():
                if path.suffix != ".lock":
                    (view / path.name).symlink_to(path)
            self._open(view)

    def _open(self, folder: Path) -> None:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")  # a generation never changes, so no thread needs to watch it
        index.reload()
        self.searcher = index.searcher()
        self.schema = index.schema

    def best(self, matching: Query, where: Filter, top_k: int) -> Scored:
        """The `top_k` best documents by descending score, and more that tie with the last one.

        The ties include at least the first ones in the order of ties. The caller sorts by score and by that order.
        """
        query = self._filtered(matching, where)
        for limit in (top_k + 32, top_k + _MANY_TIES):
            hits, scores = self._search(query, limit)
            # tantivy orders ties by their position, which another build changes: include all of them.
            if len(scores) < limit or scores[-1] < scores[top_k - 1]:
                return self._docs(hits), scores
        # A word on every page gives all of them the same score, so thousands tie.
        last = scores[top_k - 1]
        sure = int((scores > last).sum())
        tied = self._first_tied(query, float(last), top_k - sure)
        return np.concatenate([self._docs(hits[:sure]), tied]), np.append(scores[:sure], np.full(len(tied), last))

    def _search(self, query: Query, limit: int) -> tuple[list[_TantivyHit], NDArray[np.float64]]:
        """The best documents by descending score, with ties in any order, and their scores."""
        hits = self.searcher.search(query, limit=limit, count=False).hits
        return hits, np.array([score for score, _ in hits], np.float64).round(_DIGITS)

    def _docs(self, hits: Sequence[_TantivyHit]) -> Docs:
        return np.array(self.searcher.fast_field_values("doc", [address for _, address in hits]), np.int64)

    def _first_tied(self, query: Query, score: float, count: int) -> Docs:
        """The first documents of exactly this score in the order of ties: at least `count`, or all if fewer exist."""
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
        """The documents with one of the names, by the weight of the name; see `best`."""
        fields_present = [
            Query.const_score_query(Query.term_query(self.schema, "names", name), value)
            for name, value in worth.items()
            if self.searcher.doc_freq("names", name)
        ]
        if not fields_present or top_k <= 0:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        return self.best(Query.disjunction_max_query(fields_present), where, top_k)

    def every(self, matching: Query, where: Filter) -> Docs:
        """All matching documents, in no particular order."""
        query = self._filtered(Query.const_score_query(matching, 0.0), where)
        hits = self.searcher.search(query, limit=max(len(self._in_order), 1), count=False).hits
        return self._docs(hits)

    def shown(self) -> Query:
        """Documents that are not hidden."""
        return Query.term_query(self.schema, "dirs", token("/"))

    def holding(self, letters: Letters) -> Query:
        """Documents with a word that equals these letters or, if they may be part of a word, may contain them."""
        if letters.is_word:
            return Query.term_query(self.schema, PLAIN, letters.letters)
        patterns = [(PLAIN, f".*{letters.letters}.*"), (PLAIN, _CUT_WORD)]
        patterns += [(field, _UNSPACED_WORD) for field in self._fields]  # the vocabulary does not contain such words
        return Query.boolean_query(
            [(Occur.Should, Query.regex_query(self.schema, field, pattern)) for field, pattern in patterns]
        )

    def holding_exactly(self, alternatives: Sequence[Sequence[str]]) -> Query:
        """Documents with all tokens of one of the alternatives; all that are not hidden if one has no tokens."""
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
        """Documents that contain the term in any field; None if no document does."""
        clauses = list(self.clauses(term, 1.0))
        return Query.boolean_query(clauses) if clauses else None

    def count(self, query: Query) -> int:
        """The number of matching documents."""
        return int(self.searcher.search(query, limit=1, count=True).count)  # type: ignore[attr-defined]

    def among(self, query: Query, docs: Docs) -> frozenset[int]:
        """The documents in `docs` that match."""
        named = Query.term_set_query(self.schema, "doc", docs.tolist())
        both = Query.boolean_query([(Occur.Must, query), (Occur.Must, named)])
        return frozenset(self._docs(self.searcher.search(both, limit=max(len(docs), 1), count=False).hits).tolist())

    def any_of(self, forms: Iterable[Forms]) -> Query:
        """Pages that contain all words of one of the forms."""
        return Query.boolean_query([(Occur.Should, self.all_of(words, SAID)) for words in forms])

    def all_of(self, words: Forms, field: str) -> Query:
        """Documents that contain all the words, in any position."""
        queries = [Query.term_query(self.schema, field, word, "freq") for word in words]
        return Query.boolean_query([(Occur.Must, query) for query in queries]) if len(queries) > 1 else queries[0]

    def share_of_pairs(self, pairs: Sequence[Pair], docs: Sequence[int]) -> dict[int, float]:
        """The sum of the shares of its pairs, per document with any pair; may include others than `docs`."""
        if not pairs or not len(docs):
            return {}
        phrases = [phrase for pair in pairs for phrase in pair.phrases]
        listed = [phrase.most for phrase in phrases if phrase.most <= _MOST_LISTED]
        among = None
        if len(listed) < len(phrases):
            # A `doc` number belongs to one document: as a search term it limits the phrase to the requested texts.
            among = _any_of([Query.term_query(self.schema, "doc", doc) for doc in docs])
        worth = [(_any_of([_within(phrase, among) for phrase in pair.phrases]), pair.share) for pair in pairs]
        hits, scores = self._search(_worth(worth), len(docs) + sum(listed))
        return dict(zip(self._docs(hits).tolist(), scores.tolist(), strict=True))

    def worth_at_least(self, queries: Sequence[tuple[Query, float]]) -> tuple[dict[int, float], float]:
        """The scores of the best documents, and an upper bound for all others.

        Searching for certain documents by number takes three times as long.
        """
        if not queries:
            return {}, 0.0
        hits, scores = self._search(_worth(queries), _MANY_TIES)
        least = float(scores[-1]) if len(hits) == _MANY_TIES else 0.0
        return dict(zip(self._docs(hits).tolist(), scores.tolist(), strict=True)), least

    def most(self, worth: Sequence[tuple[Query, float]]) -> float:
        """The highest score of a document: the sum of the weights of its matching queries."""
        clauses = [(Occur.Should, Query.const_score_query(query, value)) for query, value in worth]
        hits = self.searcher.search(Query.boolean_query(clauses), limit=1, count=False).hits if clauses else []
        return float(hits[0][0]) if hits else 0.0

    def clauses(self, term: str, worth: float) -> tuple[tuple[Occur, Query], ...]:
        """A clause for the term in each field that contains it in any document."""
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
    """A query whose score is the sum of the weights of the matching queries."""
    return Query.boolean_query([(Occur.Should, Query.const_score_query(query, value)) for query, value in queries])


def _within(phrase: Phrase, among: Query | None) -> Query:
    """The query of a phrase, limited to the requested documents if many may contain it."""
    return _both(phrase.query, among) if among and phrase.most > _MOST_LISTED else phrase.query


def _any_of(queries: Sequence[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Should, query) for query in queries])


def _both(one: Query, other: Query) -> Query:
    return Query.boolean_query([(Occur.Must, one), (Occur.Must, other)])
