"""The words of a question that an answer must say, each with what it weighs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from searchsocket.text.words import QueryWord, index_text, parse_query

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


@dataclass(frozen=True, slots=True)
class Terms:
    """Of a question."""

    words: Sequence[QueryWord]
    weights: Sequence[float]  # of each: how rare it is among pages

    def share_of(self, said: frozenset[str]) -> float:
        """The share of the words that a text says, each by its weight, in [0, 1]; an identifier in parts by these."""
        total = sum(self.weights)
        if not total:
            return 0.0  # signs alone ask for nothing
        return sum(weight * _share(word, said) for word, weight in zip(self.words, self.weights, strict=True)) / total


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
    return Terms(words, weights)


def text_words(text: str) -> frozenset[str]:
    """The words of a text in the forms in which a question's are looked for."""
    words = index_text(text.replace("/", " ")).split(), index_text(_SIGNS.sub(" ", text)).split()
    return frozenset().union(*words, (_A_NUMBER.exact,) if _NUMBER.search(text) else ())


def _share(word: QueryWord, said: frozenset[str]) -> float:
    if word.exact in said or (word.stem and word.stem in said):
        return 1.0
    return _PARTS * sum(part in said for part in word.parts) / len(word.parts) if word.parts else 0.0
