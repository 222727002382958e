"""Spread of the texts of a site in its model: quantiles of cosines between random texts.

Models differ in what 0.4 means. A model that packs all texts into a narrow cone gives it to strangers, another one only
to paraphrases. What is measured on the site's own vectors, which cost nothing, makes thresholds that hold for both.
"""

import numpy as np
from numpy.typing import NDArray

from searchsocket.types import Spread, Vectors

MAX_SAMPLED = 400  # texts, so at most 79,800 pairs: 10 ms, whatever the size of the site
MIN_SAMPLED = 20  # fewer say little of a model
_LEVELS = (0.05, 0.5)  # of `Spread`
_DIGITS = 4


def sampled(ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """The rows of the texts that are compared: ids are hashes, so the first by id are as random as any, and the same
    for the same records wherever they lie.
    """
    return np.sort(np.argsort(ids, kind="stable")[:MAX_SAMPLED])


def spread_of(vectors: Vectors) -> Spread | None:
    """The quantiles of all pairs of some unit vectors; None where they are too few.

    Args:
        vectors: Shape (n, dim), float32.
    """
    if len(vectors) < MIN_SAMPLED:
        return None
    wide = vectors.astype(np.float64)
    cosines = (wide @ wide.T)[np.triu_indices(len(wide), 1)]
    return Spread(*np.quantile(cosines, _LEVELS).round(_DIGITS).tolist())
