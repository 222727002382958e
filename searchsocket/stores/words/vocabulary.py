"""The words of a generation, ready for comparison with a query word; words that cannot be similar are skipped."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.bounded import BoundedCache
from searchsocket.text.typos import allowed_edits, nearest
from searchsocket.text.words import stem

_MAX_WORDS = 1_000_000  # in memory, about 40 bytes each
_MAX_CACHED = 4_096  # words whose nearest words are cached


class _Letter(NamedTuple):
    """All words that begin with one letter, the more frequent first, then by spelling."""

    text: str  # all words without separators
    ends: NDArray[np.int64]  # of the words in `text`, and 0 before the first
    lengths: NDArray[np.int64]
    once: NDArray[np.uint64]  # see `_letters`
    twice: NDArray[np.uint64]

    def near(self, word: str) -> Iterator[str]:
        """The words with about the same letters: all that are similar, and few others."""
        most = allowed_edits(word)
        (once,), (twice,) = _letters(word, np.array([len(word)]))
        # An edit adds at most one letter and removes at most one.
        is_near = np.abs(self.lengths - len(word)) <= most
        is_near &= np.bitwise_count(self.once & ~once) + np.bitwise_count(self.twice & ~twice) <= most
        is_near &= np.bitwise_count(once & ~self.once) + np.bitwise_count(twice & ~self.twice) <= most
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
        """See `typos.nearest`; the first letter must be right."""
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
    return _Letter(text, ends, np.diff(ends), *_letters(text, np.diff(ends)))


def _letters(text: str, lengths: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The letters of each word of a text, and the repeated ones, as bits; letters of large alphabets share bits."""
    bits = np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64) & 63
    keys = np.sort(np.repeat(np.arange(len(lengths)), lengths) * 64 + bits)
    return _bits(keys, len(lengths)), _bits(keys[1:][keys[1:] == keys[:-1]], len(lengths))


def _bits(keys: NDArray[np.int64], words: int) -> NDArray[np.uint64]:
    bits = np.zeros(words, np.uint64)
    np.bitwise_or.at(bits, keys >> 6, np.uint64(1) << (keys & 63).astype(np.uint64))
    return bits
