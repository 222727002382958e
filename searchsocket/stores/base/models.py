"""Check that all vectors of an index come from one model and have the same dimensions."""

from collections.abc import Sequence

from searchsocket.errors import BadVectors, EmbeddingModelMismatch
from searchsocket.stores.base.store import PublishInfo
from searchsocket.types import Generation, Record, Vectors

Model = tuple[str, int]  # its id, and the dimensions of its vectors


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
