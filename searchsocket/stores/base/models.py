"""Check that all vectors of an index come from one model and have the same dimensions."""

from collections.abc import Sequence

from searchsocket.errors import BadVectors, EmbeddingModelMismatch
from searchsocket.stores.base.store import PublishInfo
from searchsocket.types import Generation, Record

Model = tuple[str, int]  # its id, and the dimensions of its vectors


def model_id_of(records: Sequence[Record]) -> str:
    """The one model of some records; "" of none.

    Raises:
        EmbeddingModelMismatch: There are two.
    """
    model_id = records[0].model_id if records else ""
    for record in records:
        if record.model_id != model_id:
            raise EmbeddingModelMismatch(record.scope, model_id, record.model_id)
    return model_id


def check_batch(scope_name: str, model: Model, first: Model | None) -> None:
    """Refuse a batch whose model is not that of the run's first batch.

    Args:
        first: The model of the first batch; None: this is it.

    Raises:
        BadVectors, EmbeddingModelMismatch: There are two.
    """
    if first and model[1] != first[1]:
        raise BadVectors(f"this run staged vectors of {first[1]} dimensions, then of {model[1]}")
    if first and model[0] != first[0]:
        raise EmbeddingModelMismatch(scope_name, first[0], model[0])


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
