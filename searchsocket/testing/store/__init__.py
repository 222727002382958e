"""Contract of a store over any vector index: generations, filters, order and edits."""

from searchsocket.testing.store.candidate import CandidateContract
from searchsocket.testing.store.changes import ChangesContract
from searchsocket.testing.store.filters import FiltersContract
from searchsocket.testing.store.generations import GenerationsContract
from searchsocket.testing.store.nearest import NearestContract


class VectorsOfAStoreContract(
    ChangesContract,
    NearestContract,
    CandidateContract,
    FiltersContract,
    GenerationsContract,
):
    """The cases that depend on the vector index. A subclass supplies a fresh, empty `store` for the project `shop`."""
