"""Spread of the texts of a site in its model: quantiles of cosines between random texts.

The same cosine means different things in different models. Where one model gives 0.4 to unrelated texts, another gives
it only to paraphrases. Quantiles of the site's own vectors cost nothing and make thresholds that fit both.
"""

import numpy as np
from numpy.typing import NDArray

from searchsocket.types import Spread, Vectors

MAX_SAMPLED = 400  # texts, so at most 79,800 pairs: 10 ms, whatever the size of the site
MIN_SAMPLED = 20  # fewer do not characterise a model
_LEVELS = (0.05, 0.5)  # of `Spread`
_DIGITS = 4


def sampled(ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """The rows of the texts to compare: ids are hashes, so the first ones by id are a random sample. The sample is the
    same for the same records in any order.
    """
    return np.sort(np.argsort(ids, kind="stable")[:MAX_SAMPLED])


def spread_of(vectors: Vectors) -> Spread | None:
    """The quantiles of the cosines of all pairs of these unit vectors; None if there are too few.

    Args:
        vectors: Shape (n, dim), float32.
    """
    if len(vectors) < MIN_SAMPLED:
        return None
    wide = vectors.astype(np.float64)
    cosines = (wide @ wide.T)[np.triu_indices(len(wide), 1)]
    return Spread(*np.quantile(cosines, _LEVELS).round(_DIGITS).tolist())
