"""Contract of a store over any vector index: generations, filters, order and edits."""

from searchsocket.testing.store.filters import FiltersContract, NearestContract
from searchsocket.testing.store.generations import CandidateContract, ChangesContract, GenerationsContract


class VectorsOfAStoreContract(
    ChangesContract,
    NearestContract,
    CandidateContract,
    FiltersContract,
    GenerationsContract,
):
    """The cases that depend on the vector index. A subclass supplies a fresh, empty `store` for the project `shop`."""
