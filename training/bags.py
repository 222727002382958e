"""Texts as rows of a sparse matrix: how often each vocabulary entry occurs in them."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from searchsocket.models.embedders.builtin import Tokens


def bags(texts: Sequence[str], tokens: Tokens, size: int) -> csr_array:
    """Counts of shape (len(texts), size), float32."""
    ids = [tokens.ids(text) for text in texts]
    ends = np.cumsum([0, *map(len, ids)])
    columns = np.fromiter((number for row in ids for number in row), dtype=np.int32, count=int(ends[-1]))
    counts = csr_array((np.ones(len(columns), dtype=np.float32), columns, ends), shape=(len(ids), size))
    counts.sum_duplicates()
    return counts
