"""The score of a vector list: one number on every machine and in every exact store."""

import numpy as np
from numpy.typing import NDArray

from searchsocket.types import Scores, Vector, Vectors

_DIGITS = 7  # scores that differ only in later digits count as equal on every machine, and ids decide
_BLOCK_ROWS = 4096


def cosines(matrix: Vectors, vector: Vector, rows: NDArray[np.int64]) -> Scores:
    """Cosines of rows of a matrix in double precision, rounded, within [-1, 1]."""
    wide = vector.astype(np.float64)
    scores = np.empty(len(rows), np.float64)
    for i in range(0, len(rows), _BLOCK_ROWS):
        scores[i : i + _BLOCK_ROWS] = np.vecdot(matrix[rows[i : i + _BLOCK_ROWS]].astype(np.float64), wide)
    # `np.clip` takes twice as long; the sum leaves no negative zero.
    return np.minimum(np.maximum(scores.round(_DIGITS), -1.0), 1.0) + 0.0
