"""Checks that every store makes before it stores or answers anything: vectors of unit length, one model, one scope."""

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from searchsocket.errors import BadVectors, EmbeddingModelMismatch, InvalidScope, ProjectMismatch
from searchsocket.stores.base.store import PublishInfo
from searchsocket.types import Generation, Record, Scope, Vectors

UNIT_TOLERANCE = 1e-3  # float32 and a provider's own rounding stay far below it
Model = tuple[str, int]  # its id, and the dimensions of its vectors


def check_vectors(vectors: Vectors, count: int, dimensions: int | None = None) -> None:
    """Refuse vectors that must never be stored or searched with (spec 11).

    Raises:
        BadVectors: Not float32 of shape (count, dimensions), or a row is zero, not finite or not of unit length.
    """
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise BadVectors(f"expected {count} float32 vectors, got an array of {vectors.dtype} {vectors.shape}")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise BadVectors(f"expected vectors of {dimensions} dimensions, got {vectors.shape[1]}")
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.sqrt(np.vecdot(vectors, vectors))
    bad = np.flatnonzero(~(np.abs(norms - 1.0) <= UNIT_TOLERANCE))  # a NaN compares as False
    if bad.size:
        raise BadVectors(f"vector {bad[0]} of {count} has length {norms[bad[0]]}, not 1 (bad rows: {bad.size})")


def check_records(records: Iterable[Record], scope: Scope, project_id: str) -> None:
    """Refuse records of another project or scope.

    Raises:
        ProjectMismatch, InvalidScope: There is one.
    """
    for record in records:
        if record.project_id != project_id:
            raise ProjectMismatch(f"record of project {record.project_id!r} in the index of {project_id!r}")
        if record.scope != scope.name:
            raise InvalidScope(f"record of scope {record.scope!r} in scope {scope.name!r}")


def index_digest(fingerprints: Iterable[tuple[str, str]]) -> str:
    """Digest of (id, record_hash) pairs in rising order of id: equal digests mean equal indexes."""
    digest = hashlib.sha256()
    lines = (f"{record_id}\0{record_hash}\n" for record_id, record_hash in fingerprints)
    while block := "".join(islice(lines, 4096)):
        digest.update(block.encode())
    return digest.hexdigest()


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
