"""A vector index whose address or key is not set: a plan, and the checks of local files, need none."""

from collections.abc import Collection, Iterable, Sequence
from typing import NoReturn

from searchsocket.errors import ConfigMissing
from searchsocket.stores.base import VectorIndex, VectorSnapshot
from searchsocket.stores.base.vectors import VectorLimits, VectorRow, Written, whenever
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Scope, Vector, Vectors


class Unaddressed(VectorIndex, VectorSnapshot):
    """Opens every generation and sends no request: each method that needs the server raises the error of the settings.

    Args:
        error: The error that names the missing address or key.
    """

    def __init__(self, error: ConfigMissing) -> None:
        self._error = error

    @property
    def limits(self) -> VectorLimits:
        return VectorLimits(is_remote=True)

    def open(self, generation: Generation, written: Written = whenever) -> VectorSnapshot:
        """See `VectorIndex.open`."""
        return self

    def stage(self, generation: Generation, rows: Iterable[VectorRow], gone: Iterable[str]) -> None:
        """Raise the error."""
        self._refuse()

    def seal(self, generation: Generation) -> None:
        """Raise the error."""
        self._refuse()

    def retain(self, scope: Scope, generations: Collection[Generation]) -> None:
        """Raise the error."""
        self._refuse()

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        """Raise the error."""
        self._refuse()

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        """Raise the error."""
        self._refuse()

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Raise the error."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise self._error
