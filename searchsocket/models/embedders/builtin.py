"""The default embedder: a table of token vectors inside the package; no key, no download, no model server.

A text's vector is the sum of the vectors of its tokens, scaled to unit length. The table contains small whole numbers,
so every sum is exact: equal on every machine, in every order and in every batch. `training/README.md` describes how
the table was made, and its limits. The vocabulary is also a list of English words, independent of the index's model.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from searchsocket.models.embedders.base import BUILTIN, Limits, TextKind
from searchsocket.system.arrays import mapped_array
from searchsocket.text.late_pattern import LatePattern
from searchsocket.text.words import parse_query, stem, stems
from searchsocket.types import Vectors

MAX_WORD_CHARS = 64  # longer words (hashes, data URLs) are cut
MAX_CACHED_WORDS = 200_000  # about 40 MB; then the cache is emptied
MIN_PIECE_CHARS = 2.5  # three or more pieces that are shorter on average do not count as a spelling

# Scripts without spaces are split into characters, other text into runs of letters, digits and underscores.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = LatePattern(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")  # the same for ASCII text, in two thirds of the time
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_A-Za-z0-9]+")
_DATA = Path(__file__).with_name("data")
TABLE, ENTRIES = "builtin.npy", "builtin.txt"
MAX_TOKENS = 100_000  # 127 times this stays far below 2**31, so sums cannot overflow

_INNER = "##"  # before a piece from inside a word
_FIRST, _LAST = 4, 3  # minimum letters of the two words of a compound; shorter ones would accept noise
# Rows of neighbouring keys: `asdf` is the name of a program, and also a typical test input.
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop", "yxcvbnm")
_MIN_KEYS = 4
_MIN_REPEATED_KEYS = 3  # `asdasd`
# What people type and can say: vowels, and at most four consonants in a row.
_SPOKEN = re.compile(r"(?=.*[aeiouy])(?!.*[^aeiouy]{5})[a-z]{3,}")
_PREFIXES = ("un", "re", "dis", "non", "pre", "post", "over")


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
        self._words = _WordCache(self._cut)

    def __contains__(self, entry: str) -> bool:
        return entry in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def ids(self, text: str) -> list[int]:
        """Return the entries of `text`, in order."""
        if len(self._words) > MAX_CACHED_WORDS:
            self._words = _WordCache(self._cut)
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


class _WordCache(dict[str, tuple[int, ...]]):
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


class BuiltinEmbedder:
    """Sums of token vectors; see `training/README.md` for the model's card."""

    limits = Limits(tokens_a_text=MAX_TOKENS)
    tolerance = 0.0
    price_per_million_tokens_usd = 0.0
    is_instant = True
    is_remote = False

    def __init__(self) -> None:
        self._table, self._tokens, self.model_id = _model()
        self.dimensions = int(self._table.shape[1])

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Embed texts in order (see `Embedder.embed`); queries and passages are embedded alike."""
        sums = np.zeros((len(texts), self.dimensions), dtype=np.int32)
        for row, text in enumerate(texts):
            ids = self._tokens.ids(text)[:MAX_TOKENS]
            if ids:
                self._table.take(ids, axis=0).sum(axis=0, dtype=np.int32, out=sums[row])
        vectors = sums.astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        for unknown in np.flatnonzero(lengths == 0.0).tolist():
            vectors[unknown] = _unknown_vector(texts[unknown], self.dimensions)
            lengths[unknown] = np.sqrt(self.dimensions)
        unit: Vectors = (vectors / lengths[:, None]).astype(np.float32)
        return unit

    def count_tokens(self, text: str) -> int:
        """Return the number of table entries in `text`."""
        return len(self._tokens.ids(text))


def vocabulary() -> Tokens:
    """Return the vocabulary of the built-in model."""
    return _model()[1]


@lru_cache(maxsize=1 << 14)  # texts repeat their words
def word_vector(word: str) -> tuple[NDArray[np.float32], float]:
    """Return the unit vector of a word, and its length: long for distinctive words, short for frequent ones."""
    table, tokens, _ = _model()
    vector = table[tokens.ids(word)].sum(axis=0, dtype=np.float32)
    length = float(np.sqrt(vector @ vector))
    return (vector / length if length else vector), length


@cache
def _model() -> tuple[NDArray[np.int8], Tokens, str]:
    """Load the table, its vocabulary and the model's id, once per process."""
    with (_DATA / TABLE).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    entries = (_DATA / ENTRIES).read_bytes()
    digest = hashlib.sha256(digest + hashlib.sha256(entries).digest()).digest()
    table = mapped_array(_DATA / TABLE)
    return table, Tokens(entries.decode("utf-8").splitlines()), f"{BUILTIN}{table.shape[1]}-{digest.hex()[:12]}"


def _unknown_vector(text: str, dimensions: int) -> NDArray[np.float64]:
    """Return a fixed vector of +1 and -1 for a text without any known token; only equal texts have equal ones."""
    bits = hashlib.shake_128(text.encode("utf-8", "replace")).digest((dimensions + 7) // 8)
    return np.unpackbits(np.frombuffer(bits, dtype=np.uint8))[:dimensions].astype(np.float64) * 2 - 1


def is_language(text: str) -> bool:
    """Return True if every word of a query, without stop words, is English, alone or joined with its neighbour."""
    words = [word for word in parse_query(text).words if not word.is_stop]
    return bool(words) and all(all(map(_is_word, word.exact.split("-"))) for word in words)


def is_run_of_keys(word: str) -> bool:
    """Return True if a word in small letters is typed by neighbouring keys, also twice: `asdfasdf`."""
    if len(word) >= _MIN_KEYS and _are_neighbours(word):
        return True
    part = word[: len(word) // 2]
    return len(part) >= _MIN_REPEATED_KEYS and part * 2 == word and _are_neighbours(part)


def _are_neighbours(keys: str) -> bool:
    return any(keys in row or keys[::-1] in row for row in _KEYS)


def may_be_word(word: str) -> bool:
    """Return True if a word may be one of any language or a name: `zugzwang`, but neither `zqxvw` nor `asdfg`."""
    return _SPOKEN.fullmatch(word) is not None and not is_run_of_keys(word)


def _is_word(word: str) -> bool:
    tokens, stems_of_words = _lexicon()
    if is_run_of_keys(word):
        return False
    if _is_entry(word, tokens):
        return True
    if not word.isalpha() or not word.isascii():
        return False
    # A word that is its own stem is already checked above: `duti` is no word, although it is the stem of `duties`.
    if (stemmed := stem(word)) != word and stemmed in stems_of_words:
        return True
    splits = ((word[:at], word[at:]) for at in range(2, len(word) - _LAST + 1))
    return any(
        (len(last) >= _FIRST and _is_entry(last, tokens)) or (stem(last) in stems_of_words and len(last) > _FIRST)
        if first in _PREFIXES
        else len(first) >= _FIRST
        and _is_entry(first, tokens)
        and ((len(last) >= _FIRST and _is_entry(last, tokens)) or f"{_INNER}{last}" in tokens)
        for first, last in splits
    )


def _is_entry(word: str, tokens: Tokens) -> bool:
    return len(word) > 2 and word.isalpha() and word in tokens


@cache
def _lexicon() -> tuple[Tokens, frozenset[str]]:
    """Return the vocabulary, and the stems of its whole words; loading takes 40 ms at the first call."""
    tokens = vocabulary()
    return tokens, frozenset(stems({entry for entry in tokens if _is_entry(entry, tokens)}))
