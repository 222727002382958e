"""Cuts text into the entries of the built-in model's vocabulary.

Words repeat, so each distinct word is cut once and remembered: that is what makes the built-in model fast.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import chain

MAX_WORD_CHARS = 64  # the rest of a longer word says nothing (hashes, data URLs)
MAX_CACHED_WORDS = 200_000  # about 40 MB; then the cache starts anew

# Scripts without spaces go character by character, everything else by runs of letters, digits and underscores.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_A-Za-z0-9]+")


class Tokens:
    """A vocabulary: whole words as they are, inner pieces of words with `##` before them."""

    def __init__(self, entries: Sequence[str]) -> None:
        self._ids: dict[str, int] = {entry: number for number, entry in enumerate(entries)}
        self._longest = max(map(len, entries), default=0)
        self._words = _Cache(self._cut)

    def ids(self, text: str) -> list[int]:
        """Entries of `text`, in order; what the vocabulary cannot spell is left out."""
        if len(self._words) > MAX_CACHED_WORDS:
            self._words = _Cache(self._cut)
        return list(chain.from_iterable(map(self._words.__getitem__, _WORD.findall(text))))

    def _cut(self, word: str) -> tuple[int, ...]:
        """`useState` is `usestate` where that is an entry, and `use` and `state`."""
        word = _folded(word[:MAX_WORD_CHARS])
        parts = [part.lower() for part in _PART.findall(word)]
        found = [number for part in parts for number in self._spell(part)]
        whole = self._ids.get(word.lower()) if len(parts) > 1 else None
        return tuple(found) if whole is None else (whole, *found)

    def _spell(self, part: str) -> list[int]:
        """The fewest pieces from the left, each as long as possible; none when a stretch has no entry."""
        found: list[int] = []
        start = 0
        while start < len(part):
            prefix = "##" if start else ""
            for end in range(min(len(part), start + self._longest), start, -1):
                number = self._ids.get(prefix + part[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return []
        return found


class _Cache(dict[str, tuple[int, ...]]):
    """Remembers what `cut` made of each word."""

    def __init__(self, cut: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._cut = cut

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self[word] = self._cut(word)
        return found


def _folded(word: str) -> str:
    """`word` without accents."""
    if word.isascii():
        return word
    return "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))
