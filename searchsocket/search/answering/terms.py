"""The words of a question that an answer must contain, with their weights."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from searchsocket.models.embedders.builtin import word_vector
from searchsocket.text.words import STOP_WORDS, QueryWord, index_words, parse_query

# Words that make a question but not its subject.
_ASKING_LIST = (
    "question answer explain tell describe mean means meaning happen happens possible way ways use used using need "
    "needed want make work works difference purpose reason kind anything something someone somebody else"
)
_ASKING = frozenset(_ASKING_LIST.split())
# A question about a quantity is answered by a number: `how often` by `every thirty days`.
_QUANTITY = re.compile(r"\bhow\s+(many|much|often|long|far|large|big|small|old|fast|high|deep|wide)\b", re.IGNORECASE)
_A_NUMBER = QueryWord("a number", "")  # a word of a text never contains a space
_NUMBER_LIST = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen "
    "half once twice thrice every daily hourly weekly monthly yearly never always unlimited"
)
_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(_NUMBER_LIST.split())})\b", re.IGNORECASE)
_NUMBER_SHARE = 0.5  # weight of a number, as a share of the mean weight of a word
_PARTS = 0.5  # for an identifier that is missing while all of its parts are present
_SIGNS = re.compile(r"[`*_]+")
_LETTERS = re.compile(r"[A-Za-z][a-z]{2,}|[A-Z]{3,}")
_NEAR, _SAME = 0.3, 0.75  # cosines from which words are similar, and from which they mean the same
_NEAR_SHARE = 0.8  # for a word if the text has only a similar one
_MAX_LENGTH, _NUMBER_LENGTH = 400.0, 350.0  # of word vectors: longer ones belong to names and typos
_ENGLISH_SHARE = 0.3  # least share of stop words in an English question; German, for example, capitalizes all nouns


@dataclass(frozen=True)
class QuestionTerms:
    """Words of a question with their weights."""

    words: Sequence[QueryWord]
    weights: Sequence[float]  # rarity of each word among pages
    names: frozenset[str] = frozenset()  # words written like names, in their exact form

    def share_of(self, present: frozenset[str]) -> float:
        """Return the weighted share of the words that a text contains, in [0, 1].

        Parts of an identifier count half.

        Args:
            present: The words of the text, see `text_words`.
        """
        total = sum(self.weights)
        if not total:
            return 0.0  # the question has no words, only signs
        shares = zip(self.words, self.weights, strict=True)
        return sum(weight * _share(word, present) for word, weight in shares) / total

    def near_share_of(self, text: str, present: frozenset[str]) -> float:
        """Return the share of the words that a text contains, or has similar words for, in [0, 1].

        Words weigh by the length of their vector.

        Args:
            present: The words of the text, see `text_words`.
        """
        total = self._lengths.sum()
        if not total:
            return 0.0
        shares = np.array([_share(word, present) for word in self.words])
        if words := tuple(sorted({word.lower() for word in _LETTERS.findall(text)})):
            cosines = (self._directions @ np.stack([word_vector(word)[0] for word in words]).T).max(axis=1)
            shares = np.maximum(shares, np.clip((cosines - _NEAR) / (_SAME - _NEAR), 0.0, 1.0) * _NEAR_SHARE)
        return float(self._lengths @ shares / total)

    def missing_name(self, present: frozenset[str]) -> float:
        """Return the share of a name that a text lacks, in [0, 1]: the largest of all names."""
        return max((1.0 - _share(word, present) for word in self.words if word.exact in self.names), default=0.0)

    @property
    def rarest(self) -> float:
        """Rarity of the rarest word; 0 if the question has none."""
        return max(self.weights, default=0.0)

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        lengths = [_NUMBER_LENGTH if word is _A_NUMBER else word_vector(word.exact)[1] for word in self.words]
        return np.array([min(length, _MAX_LENGTH) for length in lengths])

    @cached_property
    def _directions(self) -> NDArray[np.float32]:
        return np.stack([word_vector(word.exact)[0] for word in self.words])


def terms_of(question: str, rarities: Mapping[str, float]) -> QuestionTerms:
    """Return the terms of a question.

    Args:
        rarities: Rarity of each word of the question, by exact form.
    """
    parsed = [word for word in parse_query(question).words if not word.is_stop]
    quantities = {match[1].lower() for match in _QUANTITY.finditer(question)}
    words = [word for word in parsed if word.exact not in _ASKING and word.exact not in quantities]
    asks_number = bool(words and quantities)
    words = words or parsed
    weights = [max(rarities.get(word.exact, 1.0), 0.1) for word in words]
    if asks_number:
        weights.append(_NUMBER_SHARE * sum(weights) / len(weights))
        words.append(_A_NUMBER)
    return QuestionTerms(words, weights, _names(question, words))


def _names(question: str, words: Sequence[QueryWord]) -> frozenset[str]:
    """Return the identifiers, and the capitalized words of an English question except its first word."""
    typed = [word.strip(".,;:?!()\"'`") for word in question.split()]
    is_english = sum(word.lower() in STOP_WORDS for word in typed) >= _ENGLISH_SHARE * len(typed)
    capital = {word.lower() for word in typed[1:] if word != word.lower()} if is_english else set[str]()
    return frozenset(word.exact for word in words if word.exact in capital or not (word.stem or word is _A_NUMBER))


def text_words(text: str) -> frozenset[str]:
    """Return the words of a text in the forms that are matched with those of a question."""
    words = index_words(text.replace("/", " ")), index_words(_SIGNS.sub(" ", text))
    return frozenset().union(*words, (_A_NUMBER.exact,) if _NUMBER.search(text) else ())


def _share(word: QueryWord, present: frozenset[str]) -> float:
    if word.exact in present or (word.stem and word.stem in present):
        return 1.0
    return _PARTS * sum(part in present for part in word.parts) / len(word.parts) if word.parts else 0.0
