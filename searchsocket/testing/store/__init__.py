"""Contract of a store over any vector index: generations, filters, order and edits."""

from searchsocket.testing.store.candidate import CandidateContract
from searchsocket.testing.store.changes import ChangesContract
from searchsocket.testing.store.filters import FiltersContract
from searchsocket.testing.store.models import ModelsContract
from searchsocket.testing.store.nearest import NearestContract
from searchsocket.testing.store.publish import PublishContract
from searchsocket.testing.store.readers import ReadersContract
from searchsocket.testing.store.rollback import RollbackContract


class VectorsOfAStoreContract(
    ChangesContract,
    NearestContract,
    CandidateContract,
    FiltersContract,
    PublishContract,
    ReadersContract,
    RollbackContract,
    ModelsContract,
):
    """The cases that depend on the vector index. A subclass supplies a fresh, empty `store` for the project `shop`."""
