"""Check that all vectors of an index come from one model with the same dimensions; measure the spread of cosines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import BadVectors, EmbeddingModelMismatch
from searchsocket.stores.base.store import PublishInfo
from searchsocket.types import Generation, Record, Spread, Vectors

Model = tuple[str, int]  # its id, and the dimensions of its vectors
MAX_SAMPLED = 400  # texts, so at most 79,800 pairs: 10 ms, whatever the size of the site
MIN_SAMPLED = 20  # fewer do not characterise a model
_LEVELS = (0.05, 0.5)  # of `Spread`
_DIGITS = 4


def model_of(records: Sequence[Record], vectors: Vectors, first: Model | None) -> Model:
    """The one model of a batch, which is that of the batches before it.

    Args:
        records: At least one.
        first: The model of the run's first batch; None: this is the first batch.

    Raises:
        BadVectors, EmbeddingModelMismatch: There are two.
    """
    model_id, dimensions = first or (records[0].model_id, vectors.shape[1])
    if vectors.shape[1] != dimensions:
        raise BadVectors(f"this run staged vectors of {dimensions} dimensions, then of {vectors.shape[1]}")
    for record in records:
        if record.model_id != model_id:
            raise EmbeddingModelMismatch(record.scope, model_id, record.model_id)
    return model_id, dimensions


def check_model(
    scope_name: str, info: PublishInfo, staged: Model | None, live: Generation | None, *, stays: bool
) -> None:
    """Refuse to publish vectors of two models beside each other.

    Args:
        staged: The model of the staged vectors; None: none are staged.
        stays: True if any record of the live generation stays.

    Raises:
        EmbeddingModelMismatch, BadVectors: The staged or the staying vectors do not fit `info`.
    """
    if staged and staged[0] != info.model_id:
        raise EmbeddingModelMismatch(scope_name, staged[0], info.model_id)
    if staged and staged[1] != info.dimensions:
        raise BadVectors(f"staged vectors have {staged[1]} dimensions, the model has {info.dimensions}")
    if live and stays and (live.model_id, live.dimensions) != (info.model_id, info.dimensions):
        raise EmbeddingModelMismatch(scope_name, live.model_id, info.model_id)


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
