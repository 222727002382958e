"""Keyword search in a generation: records and pages that contain the words of a query, ranked by BM25."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial, reduce
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.index_reader import Letters, WordEvidence
from searchsocket.stores.words.bm25 import (
    NOTHING,
    Best,
    Rare,
    RowColumns,
    Scored,
    WordScores,
    best,
    best_by_rarity,
    top,
)
from searchsocket.stores.words.documents import token
from searchsocket.stores.words.evidence import (
    PageEvidence,
    QueryTerms,
    Term,
    has_sentence,
    share_of_pairs,
    share_of_words,
    split_compound,
    worth_correcting,
)
from searchsocket.stores.words.index import Rows, WordIndex, WordPack
from searchsocket.stores.words.pack_words import BODY, CODE, NAMES, PAGE_NAMES, PATH, PLAIN, TITLE
from searchsocket.stores.words.product_names import ProductNames
from searchsocket.stores.words.vocabulary import (
    Vocabulary,
    indexed_forms,
    most_frequent,
    names_of_query,
    names_vocabulary,
    nearest_name,
)
from searchsocket.text.hidden import storable
from searchsocket.text.synonyms import NO_SYNONYMS, Forms, Synonyms, SynonymSource
from searchsocket.text.typos import allowed_edits
from searchsocket.text.variants import same_version, variants_of
from searchsocket.text.versions import is_version, version_of
from searchsocket.text.words import (
    STOP_WORDS,
    QueryWord,
    excluded_words,
    has_conditions,
    has_unspaced,
    parse_query,
    stem,
    without_words,
    word_forms,
)
from searchsocket.types import MATCH_ALL, Filter

# The weight of a word in each field.
BOOSTS = {"title": 2.0, "headings": 1.0, "links": 1.5, "path": 1.0, "body": 1.0, "code": 1.0}
PAGE_BOOSTS = {"said": 1.0, "headings": 0.1}  # likewise, of a page
_IDENTIFIER_BOOST = 2.0  # a query with an identifier means exactly that one
_PART_BOOST = 0.3  # of a part of an identifier, in addition to the whole one
_PREFIX_BOOST = 0.05  # of a word that begins with the incomplete query word
_TYPO_BOOST = 0.8  # of a typo correction
_SYNONYM_BOOST = 0.5  # of a synonym in the settings
_JOINED_BOOST = 1.0  # of two words that documents write as one
_MAX_COMPLETIONS = 12
_MAX_PAIRS = 64  # of characters, that a query of one character finds
_MAX_QUERIES = 64  # whose names are cached
# An excluded word in one of these excludes the page; the text of a link to it does not.
_EXCLUDING_FIELDS = (TITLE, PATH, BODY, CODE)
_MIN_PREFIX_CHARS = 2

_MAX_VERSIONS = 12  # that begin with a version in the query, if documents have none that equals it

Select = Callable[[Filter], NDArray[np.bool_]]


class Words:
    """The words of one generation, open for queries; safe to share between threads."""

    def __init__(
        self,
        packs: Sequence[WordPack],
        rows: RowColumns,
        select: Select,
        synonyms: SynonymSource = NO_SYNONYMS,
        site_title: str = "",
    ) -> None:
        """Prepare the words for queries.

        Args:
            select: Returns True for each record that matches a filter; shape (records,).
            site_title: Of the home page, which names the product.
        """
        self._synonyms = synonyms
        self._select = select
        self._rows = rows
        self._index = index = WordIndex(packs, len(rows.page_of))
        self._scores = scores = WordScores(index, rows, list(BOOSTS.values()), PAGE_BOOSTS["headings"])
        self._shown_pages = np.zeros(scores.page_count, np.bool_)
        self._shown_pages[rows.page_of[rows.is_shown]] = True
        # Without `self`: a reference cycle would keep files open until the garbage collector runs.
        self._vocabulary = Vocabulary(lambda first: most_frequent(index.prefixed("exact", [PLAIN], first)))
        self._names = names_vocabulary(index)
        # A query is compared with the names several times: to correct it, without the product's name, and to search.
        self._names_of_query = lru_cache(maxsize=_MAX_QUERIES)(partial(names_of_query, index))
        self._last: tuple[str, Synonyms, QueryTerms] | None = None
        self._evidence = PageEvidence(scores, self._vocabulary)
        self._site_title = site_title

    def search(self, text: str, where: Filter, top_k: int) -> Best:
        """The `top_k` best records and all that tie with the last one, in no particular order, and their scores."""
        terms = self._query_terms(text)
        required = [self._scores.of_phrase(phrase) for phrase in terms.parsed.phrases]
        scored: list[tuple[Scored, float]] = [(phrase, 1.0) for phrase in required]
        scored += [(own, weight) for term, weight in terms.terms for own in self._scores.of(term).records]
        scored += [(self._scores.of_phrase(forms), weight) for forms, weight in terms.wholes]

        is_allowed = self._allowed(where)
        if has_conditions(text):
            is_allowed = is_allowed & self._satisfying(text)
        return best(scored, self._index.count, top_k, is_allowed.__getitem__)

    def search_pages(self, text: str, where: Filter, top_k: int) -> Best:
        """Pages by their first row, as `search` returns records. One of their records has the phrases."""
        terms = self._query_terms(text)
        scored: list[tuple[Scored, float]] = [(self._scores.of_all(forms), weight) for forms, weight in terms.wholes]
        for term, weight in terms.terms:
            own = self._scores.of(term)
            scored += [(each, weight) for each in (*own.pages, *own.own_pages)]
        allowed_pages = self._allowed_pages(where)
        if has_conditions(text):
            allowed_pages &= self._pages_of(self._satisfying(text))
        pages, scores = best(scored, self._scores.page_count, top_k, allowed_pages.__getitem__)
        return self._scores.first_rows[pages], scores

    def _allowed(self, where: Filter) -> NDArray[np.bool_]:
        """True for each record that may be returned."""
        return self._rows.is_shown if where == MATCH_ALL else self._select(where) & self._rows.is_shown

    def _allowed_pages(self, where: Filter) -> NDArray[np.bool_]:
        """True for each page with a record that may be returned."""
        return self._shown_pages.copy() if where == MATCH_ALL else self._pages_of(self._allowed(where))

    def _pages_of(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """True for each page with one of the records."""
        return np.bincount(self._rows.page_of[rows], minlength=self._scores.page_count) > 0

    def satisfying(self, text: str, rows: Rows) -> NDArray[np.bool_]:
        """True for each of the records that may be returned, see `WordSnapshot.satisfying`."""
        return self._satisfying(text)[rows]

    def _satisfying(self, text: str) -> NDArray[np.bool_]:
        """True for each record that has all phrases of a query, on a page without its excluded words."""
        satisfies = np.ones(self._index.count, np.bool_)
        for phrase in parse_query(storable(text)).phrases:
            has_phrase = np.zeros(self._index.count, np.bool_)
            has_phrase[self._scores.of_phrase(phrase)[0]] = True
            satisfies &= has_phrase
        for word in parse_query(" ".join(piece[1:] for piece in self._excluded(text))).words:
            has_word = np.zeros(self._index.count, np.bool_)
            for field, (rows, _) in self._index.occurrences(word.stem or word.exact).items():
                has_word[rows] |= field in _EXCLUDING_FIELDS
            satisfies &= ~self._pages_of(has_word)[self._rows.page_of]
        return satisfies

    def _excluded(self, text: str) -> list[str]:
        """The words that a query excludes, each with its minus. A flag that documents have is none: `-race`."""
        words = excluded_words(storable(text))
        return [word for word in words if not self._index.has(next(iter(word_forms(word)), ""))]

    def named_records(self, text: str, where: Filter, top_k: int) -> Best:
        """Records with a heading that equals the text or begins with it, see `WordSnapshot.named`."""
        named = self._names_of_query(NAMES, text)
        return self._best_named(named, self._index.count, self._allowed(where), top_k)

    def named_pages(self, text: str, where: Filter, top_k: int) -> Best:
        """Pages with a title that equals the text or begins with it, by their first row."""
        named = [
            (self._rows.page_of[rows[self._scores.is_first[rows]]], weight)
            for rows, weight in self._names_of_query(PAGE_NAMES, text)
        ]
        pages, scores = self._best_named(named, self._scores.page_count, self._allowed_pages(where), top_k)
        return self._scores.first_rows[pages], scores

    def _best_named(
        self, named: Sequence[tuple[Rows, float]], size: int, is_allowed: NDArray[np.bool_], top_k: int
    ) -> Best:
        """The best of the documents of each name, by the highest weight of their names."""
        if not named:
            return NOTHING
        totals = np.zeros(size)
        for documents, weight in named:
            totals[documents] = np.maximum(totals[documents], weight)
        documents = (totals > 0).nonzero()[0]
        return top(documents[is_allowed[documents]], totals, top_k)

    def neighbours(self, text: str, rows: Rows) -> NDArray[np.float64]:
        """The share of pairs of each row, see `WordSnapshot.neighbours`."""
        return share_of_pairs(self._index, self._query_terms(text).words, rows)

    def sentences(self, text: str, rows: Rows) -> NDArray[np.bool_]:
        """True for each row with a sentence, see `WordSnapshot.sentences`."""
        return has_sentence(self._index, parse_query(storable(text)).words, rows)

    def word_proximity(self, text: str, rows: Rows) -> NDArray[np.float64]:
        """The share of the words of each row, see `WordSnapshot.word_proximity`."""
        return share_of_words(self._scores, self._query_terms(text).words, rows)

    def corrected(self, text: str) -> str:
        """Correct a text to the name of a page or section, and remove excluded words and the product name."""
        text = without_words(text, excluded) if (excluded := self._excluded(text)) else text
        is_wrong = bool(self._query_terms(text).unknown) and not self._named(text)  # the text may become a name
        corrected = nearest_name(self._names, text) if is_wrong else text
        return self._products().removed(corrected)

    def _products(self) -> ProductNames:
        """The names of the product, which are removed from queries."""
        return ProductNames(
            self._site_title,
            share_of_pages=self._evidence.share_of_pages,
            named=self._named,
            is_version=lambda number: bool(self._same_versions(number)),
            is_in_names=lambda word: self._evidence.is_in_names(stem(word)),
        )

    def _named(self, text: str) -> float:
        """The share of a page's or section's name that the text covers from its start; 0 if there is none."""
        matches = self.named_pages(text, MATCH_ALL, 1), self.named_records(text, MATCH_ALL, 1)
        return max((float(share) for _, shares in matches for share in shares), default=0.0)

    def with_letters(self, letters: Letters | None, where: Filter) -> Rows:
        """Records whose vocabulary may contain the letters, in path order; without letters, all."""
        rows = self._index.containing(letters) if letters else np.arange(self._index.count)
        return np.sort(rows[self._allowed(where)[rows]])

    def rarities(self, text: str) -> dict[str, float]:
        """Return the rarity of each word of `text` among pages; higher is rarer."""
        words = parse_query(storable(text)).words
        return {word.exact: self._evidence.rarity([(word.exact,), (word.stem or word.exact,)]) for word in words}

    def with_tokens(self, alternatives: Sequence[Sequence[str]], where: Filter) -> Rows:
        """Records whose text contains the tokens, in path order; see `WordSnapshot.holding`."""
        allowed = self._allowed(where)
        if not alternatives or not all(alternatives):
            return np.flatnonzero(allowed)
        rows_of = {one: self._index.rows_with_token(token(one)) for tokens in alternatives for one in tokens}
        rows = np.concatenate([reduce(np.intersect1d, [rows_of[one] for one in own]) for own in alternatives])
        return np.unique(rows[allowed[rows]])

    def by_rarity(self, terms: Sequence[str], top_k: int) -> list[Rare]:
        """Return the best `top_k` records by the summed rarity of the terms, and those that tie with the last."""
        return best_by_rarity(self._scores, terms, top_k)

    def evidence(self, text: str) -> WordEvidence:
        """Return the evidence of the best page for a query."""
        return self._evidence.of(self._query_terms(text), self._completions)

    def _query_terms(self, text: str) -> QueryTerms:
        """The parsed query and its search terms."""
        last, synonyms = self._last, self._synonyms.current()  # records and pages are searched for the same words
        if last is None or last[0] != text or last[1] is not synonyms:
            last = self._last = (text, synonyms, self._find_terms(text, synonyms))
        return last[2]

    def _find_terms(self, text: str, synonyms: Synonyms) -> QueryTerms:
        parsed = parse_query(storable(text))
        words = tuple(word for word in parsed.words if not word.is_stop) or parsed.words
        query_terms = QueryTerms(parsed, words, [], [], synonyms.of(parsed.order), [], {})
        terms_by_word: dict[str, list[Term]] = {}
        variants = variants_of(storable(text))
        for word in words:
            own = self._terms(word, is_open=parsed.open_ended and word is parsed.words[-1])
            weight = 1.0 if word.stem else _IDENTIFIER_BOOST
            others = [(forms, _SYNONYM_BOOST * weight) for forms in query_terms.others.get(word.exact, ())]
            others = [(forms, boost) for forms, boost in others if all(map(self._is_indexed, forms))]
            is_whole = bool(own) if word.stem else self._is_indexed(word.exact)
            spelled = [forms for forms in variants.get(word.exact, ()) if self._is_spelled(forms, word, is_whole)]
            if is_version(word.exact):
                spelled = self._with_versions(word.exact, spelled)
            if len(word.exact) == 1 and has_unspaced(word.exact):  # of pairs that begin with it
                pairs = most_frequent(self._index.prefixed("scored", range(len(BOOSTS)), word.exact), _MAX_PAIRS)
                spelled += [(pair,) for pair in pairs if pair != word.exact]
            if spelled:
                others += [(forms, weight) for forms in spelled]
                query_terms.others[word.exact] = (*query_terms.others.get(word.exact, ()), *spelled)
            terms_by_word[word.exact] = [(forms[0], boost) for forms, boost in others if len(forms) == 1] + own
            query_terms.wholes.extend((forms, boost) for forms, boost in others if len(forms) > 1)
            if not others and not is_whole:
                query_terms.unknown.append(word)
        for word in worth_correcting(query_terms.unknown):
            corrections = [(form, own) for form, own in self._corrections(word) if self._is_indexed(form)]
            if not corrections and (compound := split_compound(word.exact if word.stem else "", self._is_indexed)):
                query_terms.compounds[word.exact] = compound
                corrections = [(part, _TYPO_BOOST) for part in dict.fromkeys(chain.from_iterable(compound))]
            terms_by_word[word.exact] += corrections
        query_terms.terms.extend(term for terms in terms_by_word.values() for term in terms)
        query_terms.terms.extend((form, _JOINED_BOOST) for form in self._joined(parsed.order))
        return query_terms

    def _terms(self, word: QueryWord, *, is_open: bool) -> list[Term]:
        """The search terms of one query word: its own forms and parts, and completions."""
        forms = [form for form in dict.fromkeys((word.exact, word.stem)) if form]
        weight = 1.0 if word.stem else _IDENTIFIER_BOOST
        candidates = [(form, weight) for form in forms]
        if is_open:
            candidates += [(form, _PREFIX_BOOST) for form in self._completions(word) if form not in forms]
        candidates += [(part, _PART_BOOST) for part in word.parts if part not in forms]
        return [(form, weight) for form, weight in candidates if self._is_indexed(form)]

    def _joined(self, order: Sequence[QueryWord]) -> list[str]:
        """Neighbouring words that documents write as one: `back up` also matches `backup`."""
        pairs = [(one.exact + other.exact) for one, other in pairwise(order) if one.stem and other.stem]
        forms = dict.fromkeys(stem(pair) for pair in pairs if pair not in STOP_WORDS)
        return [form for form in forms if self._is_indexed(form)]

    def _is_indexed(self, term: str) -> bool:
        """Return True if any record contains the term."""
        return self._index.has(term)

    def _is_spelled(self, forms: Forms, word: QueryWord, is_whole: bool) -> bool:
        """Return True if a record contains the forms next to each other, and they count, see `variants_of`."""
        if is_whole and forms != (same_version(word.exact),):
            return False
        return all(map(self._is_indexed, forms)) and (len(forms) == 1 or len(self._scores.of_phrase(forms)[0]) > 0)

    def _with_versions(self, text: str, spelled: Sequence[Forms]) -> list[Forms]:
        """The spellings of a query word, and the indexed ones of the version that it is; others only without any."""
        version, forms = version_of(text), self._same_versions(text)
        is_same = any(version and other and other.numbers == version.numbers for other in map(version_of, forms[:1]))
        added = [(form,) for form in forms if form != text] if is_same or not spelled else []
        return list(dict.fromkeys([*spelled, *added]))

    def _same_versions(self, text: str) -> list[str]:
        """The indexed spellings of a version; without any, those of the version before it, or of those after it.

        Empty if the text is no version.
        """
        version = version_of(text)
        if version is None:
            return []
        following: dict[str, int] = {}
        for count in range(len(version.numbers), 0, -1):
            begin = ".".join(version.numbers[:count])
            spellings = {form: 0 for form in (begin, f"v{begin}") if self._is_indexed(form)}
            for sign in ("", "v"):
                spellings |= self._index.prefixed("scored", range(len(BOOSTS)), f"{sign}{begin}.")
            same = [
                form for form in spellings if (other := version_of(form)) and other.numbers == version.numbers[:count]
            ]
            if same:
                return same
            following = following or spellings
        return most_frequent(following, _MAX_VERSIONS)

    def _completions(self, word: QueryWord) -> list[str]:
        """The most frequent indexed words that begin with the incomplete query word."""
        if len(word.exact) < _MIN_PREFIX_CHARS and word.exact.isascii():
            return []
        table, fields = ("exact", (PLAIN,)) if word.stem else ("scored", range(len(BOOSTS)))
        best = most_frequent(self._index.prefixed(table, fields, word.exact), _MAX_COMPLETIONS)
        return indexed_forms(best) if word.stem else best

    def _corrections(self, word: QueryWord) -> list[Term]:
        """The likely corrections of a word that no document contains."""
        whole = indexed_forms(self._vocabulary.nearest(word.exact))
        if whole or not word.pieces:
            weight = 1.0 if word.stem else _IDENTIFIER_BOOST
            return [(form, _TYPO_BOOST * weight) for form in whole]
        typos = [piece for piece in word.pieces if allowed_edits(piece) and not self._is_indexed(stem(piece))]
        return [(form, _TYPO_BOOST) for piece in typos for form in indexed_forms(self._vocabulary.nearest(piece))]
