"""Check vectors before they are stored or used."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import BadVectors
from searchsocket.types import Vectors

_UNIT_TOLERANCE = 1e-3


def checked(vectors: NDArray[Any], count: int, dimensions: int, origin: str) -> Vectors:
    """Return `vectors` as contiguous float32, if they are valid.

    Args:
        count: Required number of rows.
        dimensions: Required length of each row.
        origin: Name of the model that made them, for the message.

    Raises:
        BadVectors: Another shape, or a row that is not finite, zero or not of unit length.
    """
    if vectors.shape != (count, dimensions):
        raise BadVectors(f"{origin} returned vectors of shape {vectors.shape}, not {(count, dimensions)}")
    rows = np.ascontiguousarray(vectors, dtype=np.float32)
    if count == 1 and abs(float(np.dot(rows[0], rows[0])) - 1.0) <= _UNIT_TOLERANCE:
        return rows  # for queries: half of the tolerance, in a fifth of the time
    bad = bad_rows(rows)
    if bad.size:
        raise BadVectors(
            f"{origin} returned {bad.size} vectors that are zero, infinite or not of unit length (first: row {bad[0]})"
        )
    return rows


def bad_rows(rows: Vectors) -> NDArray[np.intp]:
    """Indices of the rows that are not finite or not of unit length."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        return np.flatnonzero(~(np.abs(norms - 1.0) <= _UNIT_TOLERANCE))
