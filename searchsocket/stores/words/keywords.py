"""Keyword search in a generation: records and pages that contain the words of a query, ranked by BM25."""

import math
import re
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import tantivy
from tantivy import Occur, Query

from searchsocket.stores.base import Letters, WordEvidence
from searchsocket.stores.words import PAGES, WORDS
from searchsocket.stores.words.documents import PLAIN, SAID
from searchsocket.stores.words.evidence import PageEvidence
from searchsocket.stores.words.index import Docs, Scored, Term, WordIndex
from searchsocket.stores.words.names import named, names_vocabulary, nearest_name
from searchsocket.stores.words.neighbours import FIELDS, neighbours
from searchsocket.stores.words.query_terms import QueryTerms, split_compound, worth_correcting
from searchsocket.stores.words.rarity import Rare, best_by_rarity
from searchsocket.stores.words.vocabulary import Vocabulary, indexed_forms
from searchsocket.text.storable import storable
from searchsocket.text.synonyms import NO_SYNONYMS, Synonyms, SynonymSource
from searchsocket.text.typos import allowed_edits
from searchsocket.text.words import STOP_WORDS, QueryWord, fold, parse_query, stem
from searchsocket.types import MATCH_ALL, Filter


def together(
    searcher: tantivy.Searcher, schema: tantivy.Schema, words: Sequence[QueryWord]
) -> list[tuple[Query, float]]:
    """A query per word over all fields, with its share of the query: rare words count more."""
    records = int(searcher.num_docs)
    weighted: list[tuple[Query, float]] = []
    total = 0.0
    for form in dict.fromkeys(word.stem or word.exact for word in words):
        counts = {field: int(searcher.doc_freq(field, form)) for field in FIELDS}
        most = max(counts.values())
        rarity = math.log1p((records - most + 0.5) / (most + 0.5))
        total += rarity
        fields = [Query.term_query(schema, field, form, "freq") for field, count in counts.items() if count]
        if fields:
            anywhere = Query.boolean_query([(Occur.Should, one) for one in fields])
            weighted.append((anywhere if len(fields) > 1 else fields[0], rarity))
    return [(query, rarity / total) for query, rarity in weighted]


# The weight of a word in each field.
BOOSTS = {"title": 2.0, "headings": 1.0, "links": 1.5, "path": 1.0, "body": 1.0, "code": 1.0}
_WHOLE = {SAID: 1.0, "headings": 0.1}
_IDENTIFIER_BOOST = 2.0  # a query with an identifier means exactly that one
_PART_BOOST = 0.3  # of a part of an identifier, in addition to the whole one
_PREFIX_BOOST = 0.05  # of a word that begins with the incomplete query word
_TYPO_BOOST = 0.8  # of a typo correction
_SYNONYM_BOOST = 0.5  # of a synonym in the settings
_JOINED_BOOST = 1.0  # of two words that documents write as one
_MAX_COMPLETIONS = 12
_MIN_PREFIX_CHARS = 2

# The share of pages that contain a word: on three sites the product's name is on 93 to 99 %, "use" and "rule" on 95 %.
_COMMON, _COMMON_NAME = 0.97, 0.8
_MAX_NAMED_WORDS = 20  # a name has little effect in a longer text
_LETTERS = re.compile(r"[^\W\d_]+")
_POSSESSIVE = re.compile(r"['’]s$")
_DASHES = re.compile(r"[-_]+")
_NOTHING: Scored = np.empty(0, np.int64), np.empty(0, np.float64)


class Words:
    """The words of one generation, open for queries; safe to share between threads."""

    def __init__(
        self, generation: Path, records: Docs, pages: Docs, synonyms: SynonymSource = NO_SYNONYMS, site_title: str = ""
    ) -> None:
        """Open the words of a generation's folder.

        Args:
            records: All records, in the order of ties.
            pages: The first record of every page, in the order of ties.
            site_title: Of the home page, which names the product.

        Raises:
            ValueError, OSError: Files are missing or damaged.
        """
        self._synonyms = synonyms
        self._records = WordIndex(generation / WORDS, BOOSTS, records)
        self._pages = WordIndex(generation / PAGES, _WHOLE, pages)
        self._searcher = searcher = self._records.searcher
        # Without `self`: a reference cycle would keep files open until the garbage collector runs.
        self._vocabulary = Vocabulary(lambda first: searcher.terms_with_prefix(PLAIN, first))
        self._names = names_vocabulary(self._pages.searcher, searcher)
        self._last: tuple[str, Synonyms, QueryTerms] | None = None
        self._evidence = PageEvidence(self._pages, self._vocabulary)
        self._site_name = frozenset(map(stem, _LETTERS.findall(fold(site_title))))

    @property
    def records(self) -> int:
        """The number of records, including hidden ones."""
        return int(self._searcher.num_docs)

    @property
    def pages(self) -> int:
        """The number of pages, including hidden ones."""
        return int(self._pages.searcher.num_docs)

    def holds(self, docs: list[int]) -> bool:
        """Return True if each of these distinct numbers belongs to a record."""
        query = Query.term_set_query(self._records.schema, "doc", docs)
        return len(self._searcher.search(query, limit=len(docs), count=False).hits) == len(docs)

    def search(self, text: str, where: Filter, top_k: int) -> Scored:
        """Records, see `WordIndex.best`."""
        wanted = self._query_terms(text)
        clauses = [(Occur.Must, self._phrase(phrase)) for phrase in wanted.parsed.phrases]
        clauses += [clause for term in wanted.terms for clause in self._records.clauses(*term)]
        clauses += [(Occur.Should, Query.boost_query(self._phrase(forms), worth)) for forms, worth in wanted.wholes]
        return self._records.best(Query.boolean_query(clauses), where, top_k) if clauses and top_k > 0 else _NOTHING

    def search_pages(self, text: str, where: Filter, top_k: int) -> Scored:
        """Pages by the number of their first record, see `WordIndex.best`. Phrases count as their words."""
        wanted = self._query_terms(text)
        clauses = [clause for term in wanted.terms for clause in self._pages.clauses(*term)]
        clauses += [
            (Occur.Should, Query.boost_query(self._pages.all_of(forms, SAID), worth)) for forms, worth in wanted.wholes
        ]
        return self._pages.best(Query.boolean_query(clauses), where, top_k) if clauses and top_k > 0 else _NOTHING

    def named_records(self, text: str, where: Filter, top_k: int) -> Scored:
        """Records with a heading that equals the text or begins with it, see `WordSnapshot.named`."""
        return named(self._records, text, where, top_k)

    def named_pages(self, text: str, where: Filter, top_k: int) -> Scored:
        """Pages with a title that equals the text or begins with it, by the number of their first record."""
        return named(self._pages, text, where, top_k)

    def neighbours(self, text: str, docs: Sequence[int]) -> dict[int, float]:
        """The share of pairs per record number, see `WordSnapshot.neighbours`; records without pairs are left out."""
        pairs = neighbours(self._searcher, self._records.schema, self._query_terms(text).words)
        return self._records.share_of_pairs(pairs, docs)

    def together(self, text: str, docs: Sequence[int]) -> dict[int, float]:
        """The share of the words per record number, see `WordSnapshot.together`."""
        words = together(self._searcher, self._records.schema, self._query_terms(text).words)
        scores, least = self._records.worth_at_least(words)
        return {doc: scores.get(doc, least) for doc in docs}

    def meant(self, text: str) -> str:
        """See `WordSnapshot.meant`."""
        known = nearest_name(self._names, text) if self._query_terms(text).unknown else text
        return self._without_product(known)

    def _without_product(self, text: str) -> str:
        """The text without the product's name, which nearly all pages contain; unchanged if it begins a page's name."""
        pieces = storable(text).split()
        if len(pieces) > _MAX_NAMED_WORDS:
            return text
        owners = [_POSSESSIVE.sub("", fold(piece)) for piece in pieces]
        words = [[word for word in _LETTERS.findall(owner) if word not in STOP_WORDS] for owner in owners]
        products = {at for at, own in enumerate(words) if own and all(map(self._names_product, own))}
        if not products or '"' in text or self._named(text):
            return text
        products = {
            at for at in products if not any(map(self._is_name, (pieces[at : at + 2], pieces[at - 1 : at + 1])))
        }
        content = [at for at, own in enumerate(words) if at not in products and any(len(word) > 1 for word in own)]
        if not products or not content:
            return text
        first = 0 if 0 not in products else content[0]  # "in Vue" is removed as a whole
        last = len(pieces) - 1 if len(pieces) - 1 not in products else content[-1]
        return " ".join(pieces[at] for at in range(first, last + 1) if at not in products)

    def _names_product(self, word: str) -> bool:
        share = self._evidence.share_of_pages(word)
        return share > (_COMMON_NAME if stem(word) in self._site_name else _COMMON)

    def _is_name(self, pieces: list[str]) -> bool:
        """Return True if two words together are the name of a page or section, such as a command."""
        return len(pieces) > 1 and self._named(" ".join(pieces)) >= 1

    def _named(self, text: str) -> float:
        """The share of a page's or section's name that the text covers from its start; 0 if there is none."""
        found = self.named_pages(text, MATCH_ALL, 1), self.named_records(text, MATCH_ALL, 1)
        return max((float(share) for _, shares in found for share in shares), default=0.0)

    def with_letters(self, letters: Letters | None, where: Filter) -> Docs:
        """Records whose vocabulary may contain the letters; without letters, all that are not hidden."""
        return self._records.every(self._records.holding(letters) if letters else self._records.shown(), where)

    def rarities(self, text: str) -> dict[str, float]:
        """See `WordSnapshot.rarities`."""
        words = parse_query(storable(text)).words
        return {word.exact: self._evidence.rarity([(word.exact,), (word.stem or word.exact,)]) for word in words}

    def with_tokens(self, alternatives: Sequence[Sequence[str]], where: Filter) -> Docs:
        """Records whose text contains the tokens, in no particular order; see `WordSnapshot.holding`."""
        return self._records.every(self._records.holding_exactly(alternatives), where)

    def by_rarity(self, terms: Sequence[str], top_k: int) -> list[Rare]:
        """See `best_by_rarity`."""
        return best_by_rarity(self._records, self.records, terms, top_k)

    def evidence(self, text: str) -> WordEvidence:
        """See `WordSnapshot.evidence`."""
        return self._evidence.of(self._query_terms(text), self._completions)

    def _phrase(self, phrase: Sequence[str]) -> Query:
        """The phrase in any field."""
        fields = [
            Query.boost_query(Query.phrase_query(self._records.schema, field, list(phrase)), boost)
            for field, boost in BOOSTS.items()
        ]
        return Query.boolean_query([(Occur.Should, field) for field in fields])

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
        for word in words:
            others = [forms for forms in query_terms.others.get(word.exact, ()) if all(map(self._is_indexed, forms))]
            worth = _SYNONYM_BOOST * (1.0 if word.stem else _IDENTIFIER_BOOST)
            terms_by_word[word.exact] = [(forms[0], worth) for forms in others if len(forms) == 1]
            query_terms.wholes.extend((forms, worth) for forms in others if len(forms) > 1)
            own = self._terms(word, is_open=parsed.open_ended and word is parsed.words[-1])
            terms_by_word[word.exact] += own
            if not others and not (own if word.stem else self._is_whole(word)):
                query_terms.unknown.append(word)
        for word in worth_correcting(query_terms.unknown):
            corrections = [term for term in self._corrections(word) if self._is_indexed(*term)]
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
        worth = 1.0 if word.stem else _IDENTIFIER_BOOST
        candidates = [(form, worth) for form in forms]
        if is_open:
            candidates += [(form, _PREFIX_BOOST) for form in self._completions(word) if form not in forms]
        candidates += [(part, _PART_BOOST) for part in word.parts if part not in forms]
        return [(form, worth) for form, worth in candidates if self._is_indexed(form, worth)]

    def _joined(self, order: Sequence[QueryWord]) -> list[str]:
        """Neighbouring words that documents write as one: `back up` also matches `backup`."""
        pairs = [(one.exact + other.exact) for one, other in pairwise(order) if one.stem and other.stem]
        forms = dict.fromkeys(stem(pair) for pair in pairs if pair not in STOP_WORDS)
        return [form for form in forms if self._is_indexed(form, _JOINED_BOOST)]

    def _is_whole(self, word: QueryWord) -> bool:
        """Return True if any record contains an identifier as it is typed, or written as one word."""
        return any(self._is_indexed(form) for form in (word.exact, _DASHES.sub("", word.exact)))

    def _is_indexed(self, term: str, worth: float = _SYNONYM_BOOST) -> bool:
        """Return True if any record contains the term; `worth` is its weight in that case."""
        return bool(self._records.clauses(term, worth))

    def _completions(self, word: QueryWord) -> list[str]:
        """The most frequent indexed words that begin with the incomplete query word."""
        if len(word.exact) < _MIN_PREFIX_CHARS and word.exact.isascii():
            return []
        counts: dict[str, int] = {}
        for field in (PLAIN,) if word.stem else BOOSTS:
            for term, count in self._searcher.terms_with_prefix(field, word.exact, limit=_MAX_COMPLETIONS):
                counts[term] = counts.get(term, 0) + int(count)
        best = sorted(counts, key=lambda term: (-counts[term], term))[:_MAX_COMPLETIONS]
        return indexed_forms(best) if word.stem else best

    def _corrections(self, word: QueryWord) -> list[Term]:
        """The likely corrections of a word that no document contains."""
        whole = indexed_forms(self._vocabulary.nearest(word.exact))
        if whole or not word.pieces:
            worth = 1.0 if word.stem else _IDENTIFIER_BOOST
            return [(form, _TYPO_BOOST * worth) for form in whole]
        typos = [piece for piece in word.pieces if allowed_edits(piece) and not self._is_indexed(stem(piece))]
        return [(form, _TYPO_BOOST) for piece in typos for form in indexed_forms(self._vocabulary.nearest(piece))]
