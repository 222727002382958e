"""Feature hashing: an embedder with no model, no key and no download.

Words, the parts of identifiers and character trigrams are counted into 512 signed buckets. All sums are of whole
numbers, so they are exact: a text has the same vector, bit by bit, on every machine and in every batch.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from searchsocket.models.embedders.base import Limits, TextKind
from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.types import Vectors

_Feature = tuple[NDArray[np.int64], bool]  # buckets of a word; True for a stop word

MODEL_ID = "hash-512-v1"
_DIMENSIONS = 512
_MAX_CACHED_WORDS = 200_000  # about 60 MB; a hostile site must not grow it for ever

# The bound cuts endless tokens (base64, text without spaces) into features of their own.
_WORD = re.compile(r"\w{1,40}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_WORD_WEIGHT, _PART_WEIGHT = 4, 2  # a trigram counts 1
_STOP_DAMPING = 8  # a stop word counts this much less than another word
_DAMPING_SCALE = 32  # fixed point of the square root of the term frequency
_STOP_WORDS = frozenset({
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "like", "may", "more", "most", "no", "not", "of", "on", "one", "only", "or", "other", "our", "out",
    "she", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "to", "up", "use", "used", "was", "we", "were", "what", "when", "where", "which", "who", "will", "with", "would",
    "you", "your",
})  # fmt: skip


class HashEmbedder:
    """Turns texts into unit vectors by feature hashing; equal for passages and queries."""

    model_id = MODEL_ID
    dimensions = _DIMENSIONS
    limits = Limits()
    tolerance = 0.0
    is_instant = True
    is_remote = False

    def __init__(self, price_per_million_tokens_usd: float = 0.0) -> None:
        self.price_per_million_tokens_usd = price_per_million_tokens_usd
        self._features: dict[str, _Feature] = {}  # entries are only added: safe between threads

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Embed texts in order; a text without any word gets one fixed vector.

        Returns:
            float32 of shape (len(texts), 512), finite, each row of unit length.
        """
        rows = np.empty((len(texts), _DIMENSIONS), dtype=np.float32)
        for index, text in enumerate(texts):
            rows[index] = self._embed_one(text)
        return rows

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens, since there is no tokenizer."""
        return estimate_tokens(text)

    def _embed_one(self, text: str) -> NDArray[np.float64]:
        counts = Counter(_WORD.findall(text))
        features = self._features
        code_lists: list[NDArray[np.int64]] = []
        weights: list[int] = []
        for word, count in counts.items():
            codes, stop = features.get(word) or self._learn(word)
            code_lists.append(codes)
            weights.append(_dampen(count) // _STOP_DAMPING if stop else _dampen(count))
        sums: NDArray[np.float64] = np.zeros(_DIMENSIONS)
        if code_lists:
            repeated = np.repeat(weights, [len(codes) for codes in code_lists])
            both = np.bincount(np.concatenate(code_lists), repeated, minlength=2 * _DIMENSIONS)
            sums = np.subtract(both[:_DIMENSIONS], both[_DIMENSIONS:], dtype=np.float64)
        length = math.sqrt(float(np.square(sums).sum()))
        if length == 0.0:
            sums[0], length = 1.0, 1.0
        unit: NDArray[np.float64] = sums / length
        return unit

    def _learn(self, word: str) -> _Feature:
        feature = (np.array(_codes(word), dtype=np.int64), word.lower() in _STOP_WORDS)
        if len(self._features) >= _MAX_CACHED_WORDS:
            self._features = {}
        self._features[word] = feature
        return feature


@lru_cache(maxsize=1024)
def _dampen(count: int) -> int:
    """Dampen a term frequency, in fixed point: the square root is exact on every machine, a logarithm is not."""
    return round(math.sqrt(count) * _DAMPING_SCALE)


def _codes(word: str) -> list[int]:
    """Return the buckets of a word's features, one entry for each unit of weight; + 512 for a negative sign."""
    lower = word.casefold()
    codes = [_bucket(f"w:{lower}")] * _WORD_WEIGHT
    parts = [part.casefold() for part in _PART.findall(word)]
    if len(parts) > 1:
        codes += [bucket for part in parts for bucket in [_bucket(f"w:{part}")] * _PART_WEIGHT]
    marked = f"<{lower}>"
    codes += [_bucket(f"3:{marked[at : at + 3]}") for at in range(len(marked) - 2)]
    if not lower.isascii():
        # Scripts without spaces: two characters are a word.
        codes += [bucket for at in range(len(lower) - 1) for bucket in [_bucket(f"w:{lower[at : at + 2]}")] * 2]
    return codes


def _bucket(feature: str) -> int:
    # CRC alone is linear, so similar features would get the same bucket; the multiplication spreads them.
    mixed = zlib.crc32(feature.encode("utf-8", "surrogatepass")) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return mixed >> 54
