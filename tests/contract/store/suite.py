"""All that every store promises. A subclass supplies a fresh, empty `store` fixture for the project `shop`."""

from contract.store.bad_vectors import BadVectorsContract
from contract.store.evidence import EvidenceContract
from contract.store.exact import ExactContract
from contract.store.health import HealthContract
from contract.store.isolation import IsolationContract
from contract.store.joined import JoinedContract
from contract.store.names import NamesContract
from contract.store.origins import OriginsContract
from contract.store.page_bodies import PageBodiesContract
from contract.store.pages import PagesContract
from contract.store.records import RecordsContract
from contract.store.words import WordsContract

from searchsocket.testing.store import VectorsOfAStoreContract
from searchsocket.testing.store.edit_history import EditHistoryContract


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
