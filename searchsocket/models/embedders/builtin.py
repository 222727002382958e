"""The default embedder: a table of token vectors inside the package; no key, no download, no model server.

A text's vector is the sum of the vectors of its tokens, scaled to unit length. The table contains small whole numbers,
so every sum is exact: equal on every machine, in every order and in every batch. `training/README.md` describes how
the table was made, and its limits.
"""

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from searchsocket.models.embedders.base import BUILTIN, Limits, TextKind
from searchsocket.models.embedders.tokens import Tokens
from searchsocket.system.arrays import load_arrays
from searchsocket.types import Vectors

TABLE, ENTRIES = "builtin.npy", "builtin.txt"  # in the folder `data` beside this file
MAX_TOKENS = 100_000  # 127 times this stays far below 2**31, so sums cannot overflow


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
    folder = files("searchsocket.models.embedders") / "data"
    stored, entries = (folder / TABLE).read_bytes(), (folder / ENTRIES).read_bytes()
    digest = hashlib.sha256(hashlib.sha256(stored).digest() + hashlib.sha256(entries).digest()).hexdigest()
    table: NDArray[np.int8] = load_arrays(stored)
    return table, Tokens(entries.decode("utf-8").splitlines()), f"{BUILTIN}{table.shape[1]}-{digest[:12]}"


def _unknown_vector(text: str, dimensions: int) -> NDArray[np.float64]:
    """Return a fixed vector of +1 and -1 for a text without any known token; only equal texts have equal ones."""
    bits = hashlib.shake_128(text.encode("utf-8", "replace")).digest((dimensions + 7) // 8)
    return np.unpackbits(np.frombuffer(bits, dtype=np.uint8))[:dimensions].astype(np.float64) * 2 - 1
