"""The words of a question that an answer must say, each with what it weighs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from searchsocket.models.embedders.builtin import word_vector
from searchsocket.text.words import STOP_WORDS, QueryWord, index_text, parse_query

# What asks, and says nothing of what is asked for.
_ASKING_LIST = (
    "question answer explain tell describe mean means meaning happen happens possible way ways use used using need "
    "needed want make work works difference purpose reason kind anything something someone somebody else"
)
_ASKING = frozenset(_ASKING_LIST.split())
# What asks for a quantity, which the answer states: `how often` by `every thirty days`.
_QUANTITY = re.compile(r"\bhow\s+(many|much|often|long|far|large|big|small|old|fast|high|deep|wide)\b", re.IGNORECASE)
_A_NUMBER = QueryWord("a number", "")  # no word of a text has a blank in it
_NUMBER_LIST = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen "
    "half once twice thrice every daily hourly weekly monthly yearly never always unlimited"
)
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(_NUMBER_LIST.split())})\b", re.IGNORECASE)
_NUMBER_SHARE = 0.5  # of what a word of the question weighs
_PARTS = 0.5  # of an identifier that is not there, whose words are
_SIGNS = re.compile(r"[`*_]+")
_LETTERS = re.compile(r"[A-Za-z][a-z]{2,}|[A-Z]{3,}")
_NEAR, _SAME = 0.3, 0.75  # cosines of words that begin to mean the same, and that do
_NEAR_SHARE = 0.8  # of a word that is there in another word
_MAX_LENGTH, _NUMBER_LENGTH = 400.0, 350.0  # of word vectors: beyond the first are names and typing errors
_ENGLISH_SHARE = 0.3  # of the words of an English question are stop words; other languages write nouns in capitals


@dataclass(frozen=True)
class Terms:
    """Of a question."""

    words: Sequence[QueryWord]
    weights: Sequence[float]  # of each: how rare it is among pages
    names: frozenset[str] = frozenset()  # words written like names, in their exact form

    def share_of(self, said: frozenset[str]) -> float:
        """The share of the words that a text says, each by its weight, in [0, 1]; an identifier in parts by these."""
        total = sum(self.weights)
        if not total:
            return 0.0  # signs alone ask for nothing
        return sum(weight * _share(word, said) for word, weight in zip(self.words, self.weights, strict=True)) / total

    def near_share_of(self, text: str, said: frozenset[str]) -> float:
        """The share of the words that a text says in these or in similar words, each by how much it tells.

        Args:
            said: The words of the text, see `text_words`.
        """
        total = self._lengths.sum()
        if not total:
            return 0.0
        shares = np.array([_share(word, said) for word in self.words])
        if words := tuple(sorted({word.lower() for word in _LETTERS.findall(text)})):
            cosines = (self._directions @ np.stack([word_vector(word)[0] for word in words]).T).max(axis=1)
            shares = np.maximum(shares, np.clip((cosines - _NEAR) / (_SAME - _NEAR), 0.0, 1.0) * _NEAR_SHARE)
        return float(self._lengths @ shares / total)

    def missing_name(self, said: frozenset[str]) -> float:
        """The part of a name that a text lacks, in [0, 1]; the largest of all names."""
        return max((1.0 - _share(word, said) for word in self.words if word.exact in self.names), default=0.0)

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        lengths = [_NUMBER_LENGTH if word is _A_NUMBER else word_vector(word.exact)[1] for word in self.words]
        return np.array([min(length, _MAX_LENGTH) for length in lengths])

    @cached_property
    def _directions(self) -> NDArray[np.float32]:
        return np.stack([word_vector(word.exact)[0] for word in self.words])


def terms_of(question: str, rarities: Mapping[str, float]) -> Terms:
    """Args: rarities: Of the words of the question, by their exact form."""
    parsed = [word for word in parse_query(question).words if not word.is_stop]
    quantities = {match[1].lower() for match in _QUANTITY.finditer(question)}
    words = [word for word in parsed if word.exact not in _ASKING and word.exact not in quantities]
    asks_number = bool(words and quantities)
    words = words or parsed
    weights = [max(rarities.get(word.exact, 1.0), 0.1) for word in words]
    if asks_number:
        weights.append(_NUMBER_SHARE * sum(weights) / len(weights))
        words.append(_A_NUMBER)
    return Terms(words, weights, _names(question, words))


def _names(question: str, words: Sequence[QueryWord]) -> frozenset[str]:
    """Identifiers, and words that an English question writes in capitals inside of it."""
    typed = [word.strip(".,;:?!()\"'`") for word in question.split()]
    is_english = sum(word.lower() in STOP_WORDS for word in typed) >= _ENGLISH_SHARE * len(typed)
    capital = {word.lower() for word in typed[1:] if word != word.lower()} if is_english else set[str]()
    return frozenset(word.exact for word in words if word.exact in capital or not (word.stem or word is _A_NUMBER))


def text_words(text: str) -> frozenset[str]:
    """The words of a text in the forms in which a question's are looked for."""
    words = index_text(text.replace("/", " ")).split(), index_text(_SIGNS.sub(" ", text)).split()
    return frozenset().union(*words, (_A_NUMBER.exact,) if _NUMBER.search(text) else ())


def _share(word: QueryWord, said: frozenset[str]) -> float:
    if word.exact in said or (word.stem and word.stem in said):
        return 1.0
    return _PARTS * sum(part in said for part in word.parts) / len(word.parts) if word.parts else 0.0
