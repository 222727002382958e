"""Checks that every store makes before it stores or answers anything."""

import hashlib
from collections.abc import Iterable
from itertools import islice

import numpy as np

from searchsocket.errors import BadVectors, InvalidScope, ProjectMismatch
from searchsocket.types import Record, Scope, Vectors

UNIT_TOLERANCE = 1e-3  # float32 and a provider's own rounding stay far below it


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
