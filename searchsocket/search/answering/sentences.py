"""Select the sentences of a chunk that answer best, by the words of a question that an answer must contain."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from textwrap import dedent
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.content.markdown.chunk_text import ChunkText, chunk_text
from searchsocket.models.embedders.builtin import word_vector
from searchsocket.search.quoting.lines import is_markdown
from searchsocket.text.words import STOP_WORDS, QueryWord, index_words, parse_query
from searchsocket.types import Code, Lines, Prose, Record

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


_MAX_UNITS = 4
_MAX_CHARS = 600  # of the sentences with most of the question's words
_LENGTH_COST = 0.05  # of a passage of `_MAX_CHARS`: of two equal passages, the shorter one wins
_BARE_COST = 0.3  # of code or a table without a sentence
_PROSE = "pl"
ROOM, FIRST_ROOM = 600, 1_200  # max characters of a passage, and of the first one
_FOLLOWED_SHARE = 2 / 3  # of the room: filled with the text below first, then with the text above
_HEADING_SHARE = 0.5  # weight of a question word that only the heading contains
_LEAST_LINES = 12  # of a definition that is too long
_HEADING, _CODE = "h", "c"
_DOCSTRINGS = "python"  # the comment is below the signature
_QUOTES = ('"""', "'''")
_NO_BODY = ": ..."  # of a stub in Python
_COMMENT_SIGNS = re.compile(r"\s*[/*#!;-]+\s*")


class Passage(NamedTuple):
    """Some sentences of a chunk."""

    text: str
    share: float  # of the question's words that they contain; words of the heading count half


def is_bare(record: Record) -> bool:
    """Return True if a definition is only a signature, such as an overload; the definition with a body is used."""
    at = record.chunk.at
    return isinstance(at, Lines) and not at.doc and record.chunk.body.text.rstrip().endswith(_NO_BODY)


def best_passage(record: Record, text: ChunkText, terms: QuestionTerms, room: int = ROOM) -> Passage:
    """Return the sentences of a chunk with most of a question's words, and the text around them.

    Args:
        room: Characters; a section or definition that fits is cited whole. The text after a colon may exceed it.
    """
    at = record.chunk.at
    if isinstance(at, Lines):
        if not is_markdown(record.page.source_file):
            return _of_code(record, at, terms, room)
        text = chunk_text(record.page, replace(record.chunk, body=Prose(record.chunk.body.text)))
    heading = text_words(f"{record.page.title} {' '.join(at.heading_path)} {at.title}")
    units = _units(text)
    first, last, share = _best_units(units, terms, heading)
    first, last = _surrounded(units, first, last, room)
    return Passage(_joined(units, first, last), share if units else terms.share_of(heading))


def _best_units(
    units: Sequence[tuple[str, str]], terms: QuestionTerms, heading: frozenset[str]
) -> tuple[int, int, float]:
    """Return the first of the best units, their end, and the share of the question's words that they contain."""
    words = [text_words(text) for text, _ in units]
    best, best_score, best_share = (0, min(1, len(units))), -1.0, 0.0
    for first, (_, kind) in enumerate(units):
        if kind == _HEADING or (kind == _CODE and first and units[first - 1][1] == _CODE):
            continue
        own: frozenset[str] = frozenset()
        size = 0
        for last in range(first, min(first + _MAX_UNITS, len(units))):
            size += len(units[last][0])
            if units[last][1] == _HEADING or (size > _MAX_CHARS and last > first):
                break
            own |= words[last]
            share = terms.share_of(own)
            share += _HEADING_SHARE * (terms.share_of(own | heading) - share)
            score = share - _LENGTH_COST * min(size / _MAX_CHARS, 1.0)
            score -= _BARE_COST * (not any(unit_kind in _PROSE for _, unit_kind in units[first : last + 1]))
            if score > best_score:
                best, best_score, best_share = (first, last + 1), score, share
    return *best, best_share


def _units(text: ChunkText) -> list[tuple[str, str]]:
    """Return each sentence, item or line, up to the start of the next, with its kind."""
    ends = [*text.starts[1:], len(text.text)]
    return [(text.text[start:end], kind) for start, end, kind in zip(text.starts, ends, text.kinds, strict=True)]


def _surrounded(units: Sequence[tuple[str, str]], first: int, last: int, room: int) -> tuple[int, int]:
    """Extend a passage, given as first unit and end, by the units around it while there is room."""
    start, size = first, sum(len(text) for text, _ in units[first:last])
    while last < len(units) and size < _FOLLOWED_SHARE * room and units[last][1] != _HEADING:
        if size + len(units[last][0]) > room:
            break
        size += len(units[last][0])
        last += 1
    last = _introduced(units, first, last, room)
    size = sum(len(text) for text, _ in units[first:last])
    while first and units[first - 1][1] != _HEADING and size + len(units[first - 1][0]) <= room:
        first -= 1
        size += len(units[first][0])
    while first and first < start and units[first][1] == units[first - 1][1] == _CODE:
        first += 1  # code is cited from its first line
    return first, last


def _introduced(units: Sequence[tuple[str, str]], first: int, last: int, room: int) -> int:
    """Return the end of the passage including the text after its colon, up to 1.5 times the room."""
    if last < 1 or not units[last - 1][0].rstrip().endswith(":"):
        return last
    size = sum(len(text) for text, _ in units[first:last])
    while last < len(units) and units[last][1] in "clt" and size + len(units[last][0]) <= 1.5 * room:
        size += len(units[last][0])
        last += 1
    return last


def _joined(units: Sequence[tuple[str, str]], first: int, last: int) -> str:
    return "".join(text for text, _ in units[first:last]).strip()


def _of_code(record: Record, at: Lines, terms: QuestionTerms, room: int) -> Passage:
    """Cite a definition with its comment if it is short, else its docstring or its first lines."""
    body = record.chunk.body
    is_docstring = bool(at.doc) and isinstance(body, Code) and body.language == _DOCSTRINGS
    lines = _own_lines(body.text.strip("\n").split("\n"), at, is_docstring=is_docstring)
    if sum(len(line) + 1 for line in lines) > room:
        end = _docstring_end(lines, at) if is_docstring else 0
        lines = lines[: end or _fitting(lines, room)]
    cited = dedent("\n".join(lines)) if is_docstring else "\n".join(lines)
    share = terms.share_of(text_words(f"{cited} {record.page.source_file} {at.symbol} {' '.join(at.heading_path)}"))
    return Passage(cited, share)


def _own_lines(lines: list[str], at: Lines, *, is_docstring: bool) -> list[str]:
    """Return the lines from a definition or the comment above it on; all lines if it has no comment."""
    if not at.doc:
        return lines
    numbers = (definition.split(":", 1)[0] for definition in at.defines if definition.endswith(f":{at.symbol}"))
    start = max(int(next(numbers, at.first)) - at.first, 0)
    comment = [line.strip() for line in at.doc.splitlines() if line.strip()]
    while start and not is_docstring and _is_comment(lines[start - 1], comment):
        start -= 1
    return lines[start:] or lines


def _is_comment(line: str, comment: Sequence[str]) -> bool:
    """Return True if a line is part of a comment, or only opens, closes or continues it."""
    return any(part in line for part in comment) or bool(_COMMENT_SIGNS.fullmatch(line))


def _docstring_end(lines: Sequence[str], at: Lines) -> int:
    """Return the number of lines to the end of the docstring, 0 if that is not in `lines`."""
    closing = at.doc.strip().rsplit("\n", 1)[-1].strip()
    end = next((number for number, line in enumerate(lines, start=1) if closing in line), 0)
    return end + 1 if 0 < end < len(lines) and lines[end].strip() in _QUOTES else end


def _fitting(lines: Sequence[str], room: int) -> int:
    """Return the number of first lines that fit, at least `_LEAST_LINES`."""
    sizes = accumulate(len(line) + 1 for line in lines)
    return max(sum(size <= room for size in sizes), _LEAST_LINES)
