"""The words and names of a generation, ready for comparison with a query.

Words that cannot be similar are skipped. Names are titles and headings, compared by their words as typed, without case
and punctuation (`text.words.name_of`). A query may be a name, its beginning or a typo of it.
"""

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import nsmallest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.bounded import BoundedCache
from searchsocket.stores.words.index import Rows, WordIndex
from searchsocket.stores.words.pack_words import NAMES, PAGE_NAMES
from searchsocket.text.hidden import storable
from searchsocket.text.typos import MAX_ENDING_CHARS, SHARED_CHARS, allowed_edits, nearest
from searchsocket.text.words import name_of, possible_names, spelled_name, stem

_MAX_WORDS = 1_000_000  # in memory, about 56 bytes each
_MAX_CACHED = 4_096  # words whose nearest words are cached
_NEARLY = 0.95  # weight of a name that the query contains with words around it, or that is not yet typed to the end
_MIN_BEGUN_CHARS = 2
_MAX_NAMES = 48  # that begin with the query: a title has up to three
# Weights of the titles that the query begins, the shortest first. Five precede all other pages, as a visitor sees five.
BEGUN = (0.85, 0.80, 0.75, 0.70, 0.65, *[0.04] * 7)
_HOST = re.compile(r"[A-Za-z][\w+.-]*://[^/]*")
_PAGE_FILE = re.compile(r"(?:(?:^|/)index)?\.html?$")


class _Letter(NamedTuple):
    """All words that begin with one letter, the more frequent first, then by spelling."""

    text: str  # all words without separators
    ends: NDArray[np.int64]  # of the words in `text`, and 0 before the first
    lengths: NDArray[np.int64]
    once: NDArray[np.uint64]  # see `_letters`
    twice: NDArray[np.uint64]
    starts: NDArray[np.uint32]  # see `_starts`

    def near(self, word: str) -> Iterator[str]:
        """The words with about the same letters or another ending: all that are similar, and few others."""
        most = allowed_edits(word)
        (once,), (twice,) = _letters(word, np.array([len(word)]))
        # An edit adds at most one letter and removes at most one.
        is_near = np.abs(self.lengths - len(word)) <= most
        is_near &= np.bitwise_count(self.once & ~once) + np.bitwise_count(self.twice & ~twice) <= most
        is_near &= np.bitwise_count(once & ~self.once) + np.bitwise_count(twice & ~self.twice) <= most
        if len(word) >= SHARED_CHARS:
            is_form = (self.starts == _starts(word, np.array([0, len(word)]))).all(axis=1)
            is_near |= is_form & (np.abs(self.lengths - len(word)) <= MAX_ENDING_CHARS)
        for number in np.flatnonzero(is_near).tolist():
            yield self.text[self.ends[number] : self.ends[number + 1]]


class Vocabulary:
    """Finds typo corrections of a word; reads the words of each first letter once. Safe to share between threads."""

    def __init__(self, words_with: Callable[[str], Sequence[str]]) -> None:
        """Args: words_with: returns all words that begin with a letter, the most frequent first."""
        self._words_with = words_with
        self._lock = threading.Lock()
        self._letters: dict[str, _Letter] = {}  # by letter, most recently read last
        self._neighbours = BoundedCache[str, list[str]](_MAX_CACHED)

    def nearest(self, word: str) -> list[str]:
        """Return the most likely words meant by a typo; the first letter must be right."""
        words = self._neighbours.values.get(word)
        if words is None:
            words = nearest(word, list(self._letter(word[0]).near(word)))
            self._neighbours.remember_one(word, words)
        return words

    def _letter(self, first: str) -> _Letter:
        letter = self._letters.get(first)
        if letter is None:
            letter = _read(self._words_with(first))
            with self._lock:
                self._letters[first] = letter
                while len(self._letters) > 1 and self._word_count() > _MAX_WORDS:
                    del self._letters[next(iter(self._letters))]
        return letter

    def _word_count(self) -> int:
        return sum(len(letter.lengths) for letter in self._letters.values())


def indexed_forms(plain: Iterable[str]) -> list[str]:
    """The indexed forms of words of the vocabulary: the whole identifier, and the stem."""
    return list(dict.fromkeys(form for word in plain for form in (word, stem(word))))


def _read(words: Sequence[str]) -> _Letter:
    text = "".join(words)
    ends = np.cumsum([0, *map(len, words)])
    return _Letter(text, ends, np.diff(ends), *_letters(text, np.diff(ends)), _starts(text, ends))


def _starts(text: str, ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The code points of the first letters of each word, as many as two forms of one word share; 0 after its end."""
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    places = ends[:-1, None] + np.arange(SHARED_CHARS)
    is_inside = places < ends[1:, None]
    return np.where(is_inside, codes[np.where(is_inside, places, 0)], 0) if len(codes) else np.zeros(places.shape, "u4")


def _letters(text: str, lengths: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The letters of each word of a text, and the repeated ones, as bits; letters of large alphabets share bits."""
    bits = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64) & 63
    keys = np.sort(np.repeat(np.arange(len(lengths)), lengths) * 64 + bits)
    return _bits(keys, len(lengths)), _bits(keys[1:][keys[1:] == keys[:-1]], len(lengths))


def _bits(keys: NDArray[np.int64], words: int) -> NDArray[np.uint64]:
    bits = np.zeros(words, np.uint64)
    np.bitwise_or.at(bits, keys >> 6, np.uint64(1) << (keys & 63).astype(np.uint64))
    return bits


def names_of_query(index: WordIndex, field: int, text: str) -> list[tuple[Rows, float]]:
    """The records of each name that a query is or begins, and the weight of the name; see `WordSnapshot.named`.

    Args:
        field: `NAMES` or `PAGE_NAMES`.
    """
    weights, spelled, begun = _weights(text)
    # An identifier that is a title or heading is not read as the words that it consists of.
    whole = next(iter(weights), "")
    if spelled and not any(len(index.rows_with(own, whole)) for own in (NAMES, PAGE_NAMES)):
        weights = {spelled: _NEARLY} | weights
    named = [(rows, weight) for name, weight in weights.items() if len(rows := index.rows_with(field, name))]
    return [*named, *_begun_names(index, field, begun)] if begun else named


def _begun_names(index: WordIndex, field: int, begun: str) -> Iterator[tuple[Rows, float]]:
    """The records of the names that begin with a text, and the weight of each name, the shorter names first.

    Their order does not depend on the text, so that a title stays while more letters are typed. Of the names of one
    record the longest counts: the others lack stop words and endings, so they may differ from what is typed later.
    """
    names = nsmallest(_MAX_NAMES, index.prefixed("exact", [field], begun), key=lambda name: (len(name), name))
    if not names:
        return
    rows_of = [index.rows_with(field, name) for name in names]
    rows, positions = np.unique(np.concatenate(rows_of), return_inverse=True)
    longest = np.zeros(len(rows), np.int64)
    np.maximum.at(longest, positions, np.repeat(np.arange(len(names)), list(map(len, rows_of))))
    for name, weight in zip(np.unique(longest).tolist(), BEGUN, strict=False):
        yield rows[longest == name], weight


def most_frequent(counts: Mapping[str, int], limit: int | None = None) -> list[str]:
    """Terms by descending count, equals by spelling."""
    return sorted(sorted(counts), key=counts.__getitem__, reverse=True)[:limit]


@lru_cache(maxsize=64)  # called for pages and for records
def _weights(text: str) -> tuple[dict[str, float], str, str]:
    """The weight of each name that the query may be, and the names that it spells and begins, or ""."""
    text = storable(text)
    names = possible_names(text)
    if not names:
        return {}, "", ""
    weights = dict.fromkeys([*names[:1], *possible_addresses(text)], 1.0) | dict.fromkeys(names[1:], _NEARLY)
    begun = names[0] if len(names[0]) >= _MIN_BEGUN_CHARS and not text[-1].isspace() else ""
    return weights, spelled_name(text), begun


def possible_addresses(text: str) -> tuple[str, ...]:
    """The path of a typed address, which may have a host, a file ending and slashes around it; empty if it is none."""
    if "/" not in text:
        return ()
    path = _HOST.sub("", text.strip().partition("#")[0].partition("?")[0], count=1)
    if any(map(str.isspace, path)):
        return ()
    return ("/" + _PAGE_FILE.sub("", path).strip("/"),)


def names_vocabulary(index: WordIndex) -> Vocabulary:
    """All names, ready for comparison with a query; titles precede headings with the same distance."""

    def beginning_with(letter: str) -> list[str]:
        by_field = [index.prefixed("exact", [field], letter) for field in (PAGE_NAMES, NAMES)]
        return [name for counts in by_field for name in most_frequent(counts)]

    return Vocabulary(beginning_with)


def nearest_name(names: Vocabulary, text: str) -> str:
    """The name within a typo or two of `text`, else `text`."""
    name = name_of(storable(text))
    return next(iter(names.nearest(name) if name else []), text)
