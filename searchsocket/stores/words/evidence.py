"""Evidence of words: the share of a query that pages contain, used to reject nonsense, and that records contain."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.index_reader import WordEvidence
from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.words.bm25 import WordScores, idf
from searchsocket.stores.words.index import Rows, WordIndex
from searchsocket.stores.words.pack_words import BODY, CODE, OWN, TITLE
from searchsocket.stores.words.vocabulary import Vocabulary, indexed_forms
from searchsocket.text.synonyms import Forms
from searchsocket.text.typos import allowed_edits, is_likely_typo
from searchsocket.text.variants import is_number
from searchsocket.text.words import ParsedQuery, QueryWord, stem

_MAX_COUNTED = 8_192  # forms
_MIN_EVIDENT_PREFIX, _MIN_EVIDENT_PART, _MIN_EVIDENT_TYPO = 3, 4, 6  # shorter ones match some word by chance
_MIN_PAGES = 10
_COMPARE = ("vs", "versus")  # say nothing about a site that has none of them
_FIELDS = (BODY, CODE)  # a section's text begins with its heading
_MAX_DISTANCE = 2  # of the second word: one word may be between the two, such as "of"
_MAX_PAIRS = 8  # only the first ones, because each pair costs a search
_MAX_SENTENCE_WORDS = 3  # without stop words; `share_of_words` counts in longer queries
_MAX_CORRECTED = 4  # words of a query
_MIN_PART_CHARS = 5  # English has many words like `passport`
_ENDINGS = ("", "s", "n", "e", "es", "en", "er")  # of German words, also between two
Term = tuple[str, float]  # a form that documents may contain, and its weight


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of one query, and their forms in the index."""

    parsed: ParsedQuery
    words: tuple[QueryWord, ...]  # those that count
    terms: list[Term]
    wholes: list[tuple[Forms, float]]  # synonyms and spellings of several words
    others: dict[str, tuple[Forms, ...]]  # all synonyms and spellings, by the exact form of their word
    unknown: list[QueryWord]  # in no record, in any form
    compounds: dict[str, list[Forms]]  # the parts of unknown words without a correction, see `split_compound`


def worth_correcting(unknown: Iterable[QueryWord]) -> list[QueryWord]:
    """The longest words that may be typos, at most `_MAX_CORRECTED`: each correction costs a search."""
    typos = [word for word in unknown if allowed_edits(word.exact)]
    return sorted(typos, key=lambda word: -len(word.exact))[:_MAX_CORRECTED]


def split_compound(word: str, is_indexed: Callable[[str], bool]) -> list[Forms]:
    """The stems of the two words of a compound, in each form that documents contain; empty if it is none.

    Args:
        word: Folded. Of several splits the most even one counts.
        is_indexed: Returns True if documents contain a stem.
    """
    splits = range(_MIN_PART_CHARS, len(word) - _MIN_PART_CHARS + 1)
    for at in sorted(splits, key=lambda at: abs(2 * at - len(word))):
        head, tail = ([form for form in _stems(part) if is_indexed(form)] for part in (word[:at], word[at:]))
        if head and tail:
            return list(product(head, tail))
    return []


def _stems(part: str) -> list[str]:
    """The stems that a part may have in documents."""
    words = (part.removesuffix(ending) for ending in _ENDINGS if part.endswith(ending))
    return list(dict.fromkeys(stem(word) for word in words if len(word) >= _MIN_PART_CHARS))


class PageEvidence:
    """Judges queries by the words of all pages; safe to share between threads."""

    def __init__(self, scores: WordScores, vocabulary: Vocabulary) -> None:
        self._scores = scores
        self._vocabulary = vocabulary
        self._count = scores.page_count
        self._counts = BoundedCache[Forms, int](_MAX_COUNTED)  # used twice per query, and queries share words

    def of(self, terms: QueryTerms, completions: Callable[[QueryWord], list[str]]) -> WordEvidence:
        """Return the evidence of the best page for a query.

        Args:
            completions: Returns the indexed words that begin with an incomplete query word.
        """
        # Single letters are on nearly every page, and random typing produces many of them.
        writer = [word for word in terms.words if len(word.exact) > 1 or not word.exact.isascii()] or terms.words
        indexed = {word: self._indexed_forms(word, terms, completions) for word in writer}
        last = writer[-1] if len(writer) == 2 and writer[-1].stem else None  # "basic au" becomes "basic auth"
        if last and not indexed[last] and len(last.exact) < _MIN_EVIDENT_PREFIX and _is_incomplete(last, terms):
            del indexed[last]
        forms_of = {word: sure for word, sure in indexed.items() if sure or word.exact not in _COMPARE} or indexed
        is_alone = not any(forms_of.values())
        guessed = worth_correcting(word for word, sure in forms_of.items() if not sure)
        rarities: list[tuple[NDArray[np.bool_], float]] = []
        missing: list[str] = []
        corrections: list[tuple[str, Forms]] = []
        total = indexed_words = 0.0
        for word, sure in forms_of.items():
            compound = terms.compounds.get(word.exact, [])
            forms, part = sure or self._guessed_forms(word, compound, word in guessed, is_alone=is_alone), 1.0
            corrections += [] if sure else [(word.exact, words) for words in forms]
            indexed_words += bool(sure or (forms and word.parts))
            rarity = self.rarity(forms)
            if not forms and (forms := self._forms_of_parts(word)):
                indexed_words, part = indexed_words + 1, len(forms) / len(word.parts)
            if not forms:
                missing.append(word.exact)
            # A page about Node answers a query for a version of it that the site does not name.
            total += rarity if forms or is_alone or not is_number(word) else 0.0
            if forms:
                rarities.append((self._pages_with_any(forms), rarity * part))
        share = self._most(rarities) / total if total else 0.0
        if math.isclose(share, 1.0):
            count = len(rarities)
        else:
            count = round(self._most([(pages, 1.0) for pages, _ in rarities]))
        indexed_share = indexed_words / len(forms_of) if forms_of else 0.0
        return WordEvidence(min(share, 1.0), count, indexed_share, len(forms_of), tuple(missing), tuple(corrections))

    def _indexed_forms(
        self, word: QueryWord, terms: QueryTerms, completions: Callable[[QueryWord], list[str]]
    ) -> list[Forms]:
        """The indexed forms of a word: as typed or completed, its synonyms, and typo corrections of an identifier."""
        forms = dict.fromkeys((form,) for form in (word.exact, word.stem) if form)
        candidates = [*forms, *terms.others.get(word.exact, ())]
        if (present := [forms for forms in candidates if self._pages_with(forms)]) or len(
            word.exact
        ) < _MIN_EVIDENT_PREFIX:
            return present
        forms = dict.fromkeys((form,) for form in (completions(word) if _is_incomplete(word, terms) else ()))
        if word.pieces and word in worth_correcting(terms.unknown):
            forms |= dict.fromkeys((form,) for form in indexed_forms(self._vocabulary.nearest(word.exact)))
        return [words for words in forms if self._pages_with(words)]

    def _guessed_forms(
        self, word: QueryWord, compound: Sequence[Forms], may_be_slip: bool, *, is_alone: bool
    ) -> list[Forms]:
        """The indexed forms that a word may mean: all its parts, or a typo correction.

        Some page contains small parts of noise, and made-up words are similar to some word. So pages must contain all
        parts. If they contain no word of the query, the correction must be of a likely typo.
        """
        if forms := [parts for parts in (word.parts, *compound) if parts and self._pages_with(parts)]:
            return forms
        if not may_be_slip:
            return []
        nearest = self._vocabulary.nearest(word.exact)
        is_short = len(word.exact) < _MIN_EVIDENT_TYPO
        if is_alone or is_short:
            nearest = [other for other in nearest if is_likely_typo(word.exact, other)]
        if is_short:  # some word is near any few letters
            nearest = [other for other in nearest if self.is_in_names(stem(other))]
        return [(form,) for form in indexed_forms(nearest) if self._pages_with((form,))]

    def is_in_names(self, form: str) -> bool:
        """Return True if a title or heading contains the word."""
        return bool(self._scores.of(form).by_field[[TITLE, OWN]].any())

    def rarity(self, forms: Sequence[Forms]) -> float:
        """The rarity of the forms among pages: BM25's inverse document frequency."""
        pages = max((self._pages_with(words) for words in forms), default=0)
        return math.log1p((self._count - pages + 0.5) / (pages + 0.5))

    def share_of_pages(self, word: str) -> float:
        """The share of pages that contain a word; 0 if there are few pages, of which most contain a word by chance."""
        pages = max(map(self._pages_with, {(word,), (stem(word),)}))
        return pages / self._count if self._count >= _MIN_PAGES else 0.0

    def _forms_of_parts(self, word: QueryWord) -> list[Forms]:
        """The parts of an identifier that pages contain, one by one. Small parts are left out: noise has them too."""
        parts = (part for part in word.parts if len(part) >= _MIN_EVIDENT_PART and part.isalpha())
        return [(part,) for part in parts if self._pages_with((part,))]

    def _pages_with_any(self, forms: Sequence[Forms]) -> NDArray[np.bool_]:
        """True for each page that contains all words of one of the forms."""
        has_any = np.zeros(self._count, np.bool_)
        for words in forms:
            has_any[self._scores.pages_with_all(words)] = True
        return has_any

    def _most(self, weights: Sequence[tuple[NDArray[np.bool_], float]]) -> float:
        """The highest sum of weights of a page."""
        totals = np.zeros(self._count)
        for has_word, weight in weights:
            totals += has_word * weight
        return float(totals.max(initial=0.0))

    def _pages_with(self, forms: Forms) -> int:
        """An upper bound of the number of pages that contain all of the words."""
        pages = self._counts.values.get(forms)
        if pages is None:
            pages = min(len(self._scores.of(form).text_pages) for form in forms)
            self._counts.remember_one(forms, pages)
        return pages


def _is_incomplete(word: QueryWord, terms: QueryTerms) -> bool:
    """Return True for the last word of a query that may be incomplete."""
    return terms.parsed.open_ended and word is terms.parsed.words[-1]


def share_of_pairs(index: WordIndex, words: Sequence[QueryWord], rows: Rows) -> NDArray[np.float64]:
    """The share of the adjacent words of a query that are adjacent in each of some rows."""
    forms = [word.stem or word.exact for word in words][: _MAX_PAIRS + 1]
    positions = {form: index.positions(form, _FIELDS, rows) for form in forms} if len(forms) > 1 else {}
    shares = np.zeros(index.count)
    for one, other in pairwise(forms):
        first, second = positions[one], positions[other]
        if len(first) and len(second):
            nearest = second[np.minimum(np.searchsorted(second, first + 1), len(second) - 1)] - first
            beside = (nearest > 0) & (nearest <= _MAX_DISTANCE)
            has_pair = np.zeros(index.count, np.bool_)
            has_pair[index.rows_of(first[beside])] = True
            shares[has_pair] += 1.0 / (len(forms) - 1)
    return shares[rows].round(4)


def has_sentence(index: WordIndex, words: Sequence[QueryWord], rows: Rows) -> NDArray[np.bool_]:
    """True for each of some rows that has all words of a short question, stop words too, close together."""
    forms = list(dict.fromkeys(word.stem or word.exact for word in words))
    is_close = np.zeros(index.count, np.bool_)
    count = sum(not word.is_stop for word in words)
    if not 1 < count <= _MAX_SENTENCE_WORDS or count == len(words):
        return is_close[rows]
    positions = sorted((index.positions(form, _FIELDS, rows) for form in forms), key=len)
    first, others = positions[0], positions[1:]
    low, high = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    for other in others if len(first) else ():
        after = np.searchsorted(other, first)
        behind = other[np.minimum(after, len(other) - 1)] - first
        before = other[np.maximum(after - 1, 0)] - first
        nearest = np.where(np.abs(behind) < np.abs(before), behind, before)
        low, high = np.minimum(low, nearest), np.maximum(high, nearest)
    is_close[index.rows_of(first[high - low <= len(forms)])] = True
    return is_close[rows]


def share_of_words(scores: WordScores, words: Sequence[QueryWord], rows: Rows) -> NDArray[np.float64]:
    """The share of the words of a query that each of some rows contains; rare words count more."""
    index = scores.index
    has_word, shares, total = np.zeros(index.count, np.bool_), np.zeros(len(rows)), 0.0
    for form in dict.fromkeys(word.stem or word.exact for word in words):
        term = scores.of(form)
        rarity = float(idf(index.count, term.by_field[list(_FIELDS)].max()))
        total += rarity
        has_word[term.text_records] = True
        shares += rarity * has_word[rows]
        has_word[term.text_records] = False
    return (shares / total).round(4) if total else shares
