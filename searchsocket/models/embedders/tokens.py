"""Split text into the entries of the built-in model's vocabulary.

Each distinct word is split once and cached, which makes the built-in model fast.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import chain
from zlib import crc32

from searchsocket.text.late_pattern import LatePattern

MAX_WORD_CHARS = 64  # longer words (hashes, data URLs) are cut
MAX_CACHED_WORDS = 200_000  # about 40 MB; then the cache is emptied
MIN_PIECE_CHARS = 2.5  # three or more pieces that are shorter on average do not count as a spelling

# Scripts without spaces are split into characters, other text into runs of letters, digits and underscores.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = LatePattern(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")  # the same for ASCII text, in two thirds of the time
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_A-Za-z0-9]+")


class Tokens:
    """A vocabulary: words, inner pieces of words with `##` before them, and buckets (`[0]`, `[1]`, ...).

    A word that the pieces spell badly or not at all (another script, random letters) gets a bucket by its checksum, so
    it is similar only to itself.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._ids: dict[str, int] = {entry: number for number, entry in enumerate(entries)}
        self._longest = max(map(len, entries), default=0)
        self._first_bucket = self._ids.get("[0]", len(entries))
        self._buckets = len(entries) - self._first_bucket
        self._words = _Cache(self._cut)

    def ids(self, text: str) -> list[int]:
        """Return the entries of `text`, in order."""
        if len(self._words) > MAX_CACHED_WORDS:
            self._words = _Cache(self._cut)
        words = (_ASCII_WORD if text.isascii() else _WORD).findall(text)
        return list(chain.from_iterable(map(self._words.__getitem__, words)))

    def _cut(self, word: str) -> tuple[int, ...]:
        """Split a word: `useState` into `use` and `state`, and also `usestate` if that is an entry."""
        word = _without_accents(word[:MAX_WORD_CHARS])
        parts = [part.lower() for part in _PART.findall(word)]
        numbers = [number for part in parts for number in self._spell(part) or self._bucket(part)]
        whole = self._ids.get(word.lower()) if len(parts) > 1 else None
        return tuple(numbers) if whole is None else (whole, *numbers)

    def _spell(self, part: str) -> list[int]:
        """Spell a part with pieces, each as long as possible from the left; empty if the pieces are too short."""
        numbers: list[int] = []
        start = 0
        while start < len(part):
            prefix = "##" if start else ""
            for end in range(min(len(part), start + self._longest), start, -1):
                number = self._ids.get(prefix + part[start:end])
                if number is not None:
                    numbers.append(number)
                    start = end
                    break
            else:
                return []
        return [] if len(numbers) > 2 and len(part) < MIN_PIECE_CHARS * len(numbers) else numbers

    def _bucket(self, part: str) -> list[int]:
        return [self._first_bucket + crc32(part.encode("utf-8", "replace")) % self._buckets] if self._buckets else []


class _Cache(dict[str, tuple[int, ...]]):
    """Caches the result of `cut` for each word."""

    def __init__(self, cut: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = self[word] = self._cut(word)
        return numbers


def _without_accents(word: str) -> str:
    """Return `word` without accents."""
    if word.isascii():
        return word
    return "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))
