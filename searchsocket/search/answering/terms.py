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
_PARTS = 0.5  # of an identifier that is not there, whose words are
_SIGNS = re.compile(r"[`*_]+")


@dataclass(frozen=True, slots=True)
class Terms:
    """Of a question."""

    words: Sequence[QueryWord]
    weights: Sequence[float]  # of each: how rare it is among pages

    def held(self, said: frozenset[str]) -> float:
        """The share of the words that a text says, each by its weight, in [0, 1]; an identifier in parts by these."""
        total = sum(self.weights)
        if not total:
            return 0.0  # signs alone ask for nothing
        return sum(weight * _share(word, said) for word, weight in zip(self.words, self.weights, strict=True)) / total


def terms_of(question: str, rarities: Mapping[str, float]) -> Terms:
    """Args: rarities: Of the words of the question, by their exact form."""
    parsed = [word for word in parse_query(question).words if not word.is_stop]
    words = [word for word in parsed if word.exact not in _ASKING] or parsed
    return Terms(words, [max(rarities.get(word.exact, 1.0), 0.1) for word in words])


def words_said(text: str) -> frozenset[str]:
    """The words of a text in the forms in which a question's are looked for."""
    return frozenset(index_text(text.replace("/", " ")).split()) | frozenset(index_text(_SIGNS.sub(" ", text)).split())


def _share(word: QueryWord, said: frozenset[str]) -> float:
    if word.exact in said or (word.stem and word.stem in said):
        return 1.0
    return _PARTS * sum(part in said for part in word.parts) / len(word.parts) if word.parts else 0.0
