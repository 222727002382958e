"""The words of a generation, in tantivy: which records and which pages hold the words of a query, by BM25."""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy
from tantivy import Occur, Query

from searchsocket.stores.base import WordEvidence
from searchsocket.stores.local.layout import PAGES, WORDS
from searchsocket.stores.local.records import clean
from searchsocket.stores.local.word_documents import PAGE_FIELDS, token
from searchsocket.types import Filter
from searchsocket.typos import allowed_edits, nearest
from searchsocket.words import ParsedQuery, QueryWord, parse_query, stem

# What a word is worth where it stands.
BOOSTS = {"title": 2.0, "headings": 1.0, "links": 1.5, "path": 1.0, "body": 1.0, "code": 1.0}
_WHOLE = dict.fromkeys(PAGE_FIELDS, 1.0)
_IDENTIFIER_BOOST = 2.0  # who types one means that one
_PART_BOOST = 0.3  # of a part of an identifier beside the whole one
_PREFIX_BOOST = 0.05  # of a word that begins with the one being typed
_TYPO_BOOST = 0.8  # of a word that the typed one was meant to be
_MAX_COMPLETIONS = 12
_MIN_PREFIX_CHARS = 2
_MIN_EVIDENT_PREFIX, _MIN_EVIDENT_TYPO = 3, 6  # shorter ones are near some word by chance
_TIES = 1e-4  # sums of floats in another order differ less than this
_DIGITS = 4

Term = tuple[str, float]  # a form that documents may hold, and what it is worth
_LookedFor = tuple[ParsedQuery, list[list[Term]]]


class _Index:
    """One index of tantivy, open for queries."""

    def __init__(self, folder: Path) -> None:
        if os.access(folder, os.W_OK):
            self._open(folder)
        else:
            # tantivy locks a folder even to read it, so it gets one of its own that names the same files.
            with TemporaryDirectory(prefix="searchsocket-words-") as view:
                for path in folder.resolve().iterdir():
                    if path.suffix != ".lock":
                        (Path(view) / path.name).symlink_to(path)
                self._open(Path(view))  # which holds all files open from here on

    def _open(self, folder: Path) -> None:
        index = tantivy.Index.open(str(folder))
        index.config_reader("manual")  # a generation never changes: no thread that watches it
        index.reload()
        self.searcher = index.searcher()
        self.schema = index.schema

    def best(self, matching: Query, where: Filter, top_k: int) -> list[tuple[int, float]]:
        """At least the `top_k` best as (doc, score) by falling score, and all that tie with the last one."""
        query = self._filtered(matching, where)
        limit = top_k + 32
        while True:
            hits = self.searcher.search(query, limit=limit, count=False).hits
            # tantivy orders equals by where they lie, which another build changes: take all of them in.
            if len(hits) < limit or hits[-1][0] < hits[top_k - 1][0] - _TIES:
                break
            limit *= 4
        numbers = self.searcher.fast_field_values("doc", [address for _, address in hits])
        return [
            (int(number), round(float(score), _DIGITS))
            for number, (score, _) in zip(numbers, hits, strict=True)
            if number is not None  # a document without one would be damage, which the sizes and hashes find
        ]

    def _filtered(self, matching: Query, where: Filter) -> Query:
        clauses = [("dirs", where.path_prefix)] if where.path_prefix else []
        clauses += [("tags", clean(tag)) for tag in where.tags]
        musts = [
            (Occur.Must, Query.const_score_query(Query.term_query(self.schema, field, token(value)), 0.0))
            for field, value in clauses
        ]
        return Query.boolean_query([(Occur.Must, matching), *musts]) if musts else matching

    def any_of(self, terms: Iterable[str]) -> Query:
        """Pages that hold one of the terms."""
        queries = [Query.term_query(self.schema, field, term, "basic") for term in terms for field in PAGE_FIELDS]
        return Query.boolean_query([(Occur.Should, query) for query in queries])

    def most(self, worth: Sequence[tuple[Query, float]]) -> float:
        """The greatest sum of what its matches are worth that a document reaches."""
        clauses = [(Occur.Should, Query.const_score_query(query, value)) for query, value in worth]
        hits = self.searcher.search(Query.boolean_query(clauses), limit=1, count=False).hits if clauses else []
        return float(hits[0][0]) if hits else 0.0

    def clauses(self, term: str, boost: float, fields: Mapping[str, float]) -> list[tuple[Occur, Query]]:
        """The term in every one of `fields` that holds it anywhere."""
        return [
            (Occur.Should, Query.boost_query(Query.term_query(self.schema, field, term, "freq"), weight * boost))
            for field, weight in fields.items()
            if self.searcher.doc_freq(field, term)
        ]


class Words:
    """The words of one generation, open for queries; safe to share between threads."""

    def __init__(self, generation: Path) -> None:
        """Raises: ValueError, OSError when files are missing or damaged."""
        self._records, self._pages = _Index(generation / WORDS), _Index(generation / PAGES)
        self._searcher = self._records.searcher
        self._last: tuple[str, _LookedFor] | None = None

    @property
    def records(self) -> int:
        """How many there are, the hidden ones included."""
        return int(self._searcher.num_docs)

    @property
    def pages(self) -> int:
        """How many there are, the hidden ones included."""
        return int(self._pages.searcher.num_docs)

    def holds(self, docs: list[int]) -> bool:
        """Whether every one of these distinct numbers belongs to a record."""
        query = Query.term_set_query(self._records.schema, "doc", docs)
        return len(self._searcher.search(query, limit=len(docs), count=False).hits) == len(docs)

    def search(self, text: str, where: Filter, top_k: int) -> list[tuple[int, float]]:
        """Records, see `_Index.best`."""
        parsed, words = self._looked_for(text)
        clauses = [(Occur.Must, self._phrase(phrase)) for phrase in parsed.phrases]
        clauses += [clause for terms in words for term in terms for clause in self._records.clauses(*term, BOOSTS)]
        return self._records.best(Query.boolean_query(clauses), where, top_k) if clauses and top_k > 0 else []

    def search_pages(self, text: str, where: Filter, top_k: int) -> list[tuple[int, float]]:
        """Pages by the number of their first record, see `_Index.best`. Phrases count as their words."""
        _, words = self._looked_for(text)
        clauses = [clause for terms in words for term in terms for clause in self._pages.clauses(*term, _WHOLE)]
        return self._pages.best(Query.boolean_query(clauses), where, top_k) if clauses and top_k > 0 else []

    def evidence(self, text: str) -> WordEvidence:
        """See `IndexReader.word_evidence`."""
        parsed, _ = self._looked_for(text)
        words = [word for word in parsed.words if not word.is_stop] or list(parsed.words)
        rarities: list[tuple[Query, float]] = []
        total = 0.0
        for word in words:
            forms = self._evidence_forms(word, parsed.open_ended and word is parsed.words[-1])
            held = max((self._pages_with(form) for form in forms), default=0)
            rarity = math.log1p((self.pages - held + 0.5) / (held + 0.5))
            total += rarity
            if forms:
                rarities.append((self._pages.any_of(forms), rarity))
        share = self._pages.most([(query, rarity) for query, rarity in rarities]) / total if total else 0.0
        return WordEvidence(min(share, 1.0), round(self._pages.most([(query, 1.0) for query, _ in rarities])))

    def _evidence_forms(self, word: QueryWord, is_open: bool) -> list[str]:
        """The forms by which pages hold a word: of the surest kind that there is."""
        kinds: list[Callable[[], Iterable[str]]] = [
            lambda: (word.exact, word.stem),
            lambda: word.parts,
            lambda: self._completions(word) if is_open and len(word.exact) >= _MIN_EVIDENT_PREFIX else (),
            lambda: self._corrections(word) if len(word.exact) >= _MIN_EVIDENT_TYPO else (),
        ]
        found = ([form for form in dict.fromkeys(kind()) if form and self._pages_with(form)] for kind in kinds)
        return next((forms for forms in found if forms), [])

    def _pages_with(self, term: str) -> int:
        return max(int(self._pages.searcher.doc_freq(field, term)) for field in PAGE_FIELDS)

    def _phrase(self, phrase: Sequence[str]) -> Query:
        """The phrase in any field."""
        fields = [
            Query.boost_query(Query.phrase_query(self._records.schema, field, list(phrase)), boost)
            for field, boost in BOOSTS.items()
        ]
        return Query.boolean_query([(Occur.Should, field) for field in fields])

    def _looked_for(self, text: str) -> _LookedFor:
        """A query taken apart, and for each of its words that count what is looked for."""
        last = self._last  # records and pages are asked for the same words, one after the other
        if last is None or last[0] != text:
            last = self._last = (text, self._find_terms(text))
        return last[1]

    def _find_terms(self, text: str) -> _LookedFor:
        parsed = parse_query(clean(text))
        words = [word for word in parsed.words if not word.is_stop] or list(parsed.words)
        return parsed, [self._terms(word, parsed.open_ended and word is parsed.words[-1]) for word in words]

    def _terms(self, word: QueryWord, is_open: bool) -> list[Term]:
        """What one word of the query looks for: its own forms and parts, completions, else what it was meant to be."""
        forms = [form for form in dict.fromkeys((word.exact, word.stem)) if form]
        worth = 1.0 if word.stem else _IDENTIFIER_BOOST
        found = [(form, worth) for form in forms]
        if is_open:
            found += [(form, _PREFIX_BOOST) for form in self._completions(word) if form not in forms]
        found += [(part, _PART_BOOST) for part in word.parts if part not in forms]
        found = [(form, worth) for form, worth in found if self._is_held(form)]
        return found or [(form, _TYPO_BOOST) for form in self._corrections(word) if self._is_held(form)]

    def _is_held(self, term: str) -> bool:
        return any(self._searcher.doc_freq(field, term) for field in BOOSTS)

    def _completions(self, word: QueryWord) -> list[str]:
        """The most frequent words that begin with the one being typed, as documents keep them."""
        if len(word.exact) < _MIN_PREFIX_CHARS and word.exact.isascii():
            return []
        counts: dict[str, int] = {}
        for field in ("plain",) if word.stem else BOOSTS:
            for term, count in self._searcher.terms_with_prefix(field, word.exact, limit=_MAX_COMPLETIONS):
                counts[term] = counts.get(term, 0) + int(count)
        best = sorted(counts, key=lambda term: (-counts[term], term))[:_MAX_COMPLETIONS]
        return _kept_forms(best) if word.stem else best

    def _corrections(self, word: QueryWord) -> list[str]:
        """What a word that no document holds was meant to be; its first letter is taken to be right."""
        if not word.stem or not allowed_edits(word.exact):
            return []
        return _kept_forms(nearest(word.exact, self._searcher.terms_with_prefix("plain", word.exact[0])))


def _kept_forms(plain: Iterable[str]) -> list[str]:
    """The forms in which fields hold words of the vocabulary: as the whole of an identifier, or as a stem."""
    return list(dict.fromkeys(form for word in plain for form in (word, stem(word))))


def open_words(generation: Path) -> Words:
    """The words of a generation's folder."""
    return Words(generation)
