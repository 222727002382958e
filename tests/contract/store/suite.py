"""All that every store promises. A subclass supplies a fresh, empty `store` fixture for the project `shop`."""

from contract.store.bad_vectors import BadVectorsContract
from contract.store.candidate import CandidateContract
from contract.store.changes import ChangesContract
from contract.store.edit_history import EditHistoryContract
from contract.store.evidence import EvidenceContract
from contract.store.exact import ExactContract
from contract.store.filters import FiltersContract
from contract.store.health import HealthContract
from contract.store.isolation import IsolationContract
from contract.store.joined import JoinedContract
from contract.store.models import ModelsContract
from contract.store.names import NamesContract
from contract.store.nearest import NearestContract
from contract.store.origins import OriginsContract
from contract.store.page_bodies import PageBodiesContract
from contract.store.pages import PagesContract
from contract.store.publish import PublishContract
from contract.store.readers import ReadersContract
from contract.store.records import RecordsContract
from contract.store.rollback import RollbackContract
from contract.store.words import WordsContract


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
    """What depends on where the vectors lie: all that a server is tried with, where records and words lie in a folder.

    `TestVectorsElsewhere` of `tests/stores/test_local_store.py` tries such a store with the rest.
    """


class StoreContract(
    VectorsOfAStoreContract,
    RecordsContract,
    NamesContract,
    JoinedContract,
    BadVectorsContract,
    WordsContract,
    PagesContract,
    EvidenceContract,
    ExactContract,
    HealthContract,
    PageBodiesContract,
    IsolationContract,
    EditHistoryContract,
    OriginsContract,
):
    """One class of all of them, for a store to be tried with."""
