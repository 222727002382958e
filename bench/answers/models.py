"""Scripted models of three qualities, which know what they altered."""

import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bench.answers.alterations import ALTERATIONS, prose_sentences
from searchsocket.extensions.answers.model import Message, Reply, Usage
from searchsocket.extensions.answers.writing import NOT_COVERED
from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.text.words import STOP_WORDS, index_words

_PASSAGE = re.compile(r'<passage number="(\d+)"[^>]*>\n(.*?)\n</passage>', re.DOTALL)
_FALSE = ("number", "flag", "name", "negation", "meaning")


class Quality(NamedTuple):
    """Shares of a model's sentences."""

    altered: float  # in one place
    miscited: float


QUALITIES = {
    "good": Quality(0.0, 0.0),
    "careless": Quality(0.3, 0.3),
    "bad": Quality(0.9, 0.5),
}


class ScriptedReply:
    """Text with its usage."""

    finish = "stop"

    def __init__(self, model: "ScriptedModel", text: str, prompt: str) -> None:
        self._model = model
        self._text = text
        self.usage = Usage(estimate_tokens(prompt), estimate_tokens(text))

    def __iter__(self) -> Iterator[str]:
        self._model.started_s = time.perf_counter()
        for at in range(0, len(self._text), 8):
            yield self._text[at : at + 8]


class ScriptedModel:
    """Answers with the sentences of the passages that are nearest to the question, in other words.

    Attributes:
        false: Sentence that it altered -> the sentence before; without those that a passage contains.
        cited: Sentence -> number of its passage.
        started_s: When the first word of the last answer was written.
    """

    name = "scripted"

    def __init__(self, quality: Quality, seed: int = 1) -> None:
        self._quality = quality
        self._random = random.Random(seed)
        self.false: dict[str, str] = {}
        self.cited: dict[str, int] = {}
        self.started_s = 0.0

    def reply(self, messages: Sequence[Message]) -> Reply:
        data, _, question = messages[-1]["content"].rpartition("\n\nQuestion: ")
        passages = {int(number): text for number, text in _PASSAGE.findall(data)}
        words = frozenset(index_words(question)) - STOP_WORDS
        ranked = sorted(
            ((len(words & frozenset(index_words(sentence))), number, sentence)
             for number, text in passages.items() for sentence in prose_sentences(text)),
            reverse=True,
        )[:4]  # fmt: skip
        lines = [self._line(sentence, number, passages) for score, number, sentence in ranked if score]
        return ScriptedReply(self, " ".join(lines) or NOT_COVERED, messages[-1]["content"])

    def _line(self, sentence: str, number: int, passages: Mapping[int, str]) -> str:
        is_false = self._random.random() < self._quality.altered
        said = ALTERATIONS["other words"](sentence, self._random) or sentence
        if is_false:
            kinds = [kind for kind in _FALSE if ALTERATIONS[kind](sentence, self._random)]
            if kinds:
                said = ALTERATIONS[self._random.choice(kinds)](sentence, self._random) or said
                if not any(said.rstrip(".") in text for text in passages.values()):
                    self.false[said] = sentence
        self.cited[said] = number
        cited = self._random.randint(1, len(passages)) if self._random.random() < self._quality.miscited else number
        return f"{said} [{cited}]"
