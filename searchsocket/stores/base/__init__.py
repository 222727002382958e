"""Store interface, from the reader's side.

A store keeps generations of scopes. Every store, in any database, promises:
- a query sees one generation, whole;
- a run that dies at any point is invisible;
- a new generation can be read before the switch to it;
- rollback is a switch, and writes nothing again;
- writes are proportional to the change.

A reader (`reader.py`) combines three parts of a generation, each with its own interface: records and page texts, words
(always ours) and vectors (`vectors.py`, possibly on another machine).
`store.py` writes, switches and opens generations. `upkeep.py` is not loaded here: no query needs it.
"""

from searchsocket.stores.base.checks import UNIT_TOLERANCE, check_records, check_vectors, index_digest
from searchsocket.stores.base.reader import (
    Candidates,
    CatalogueSnapshot,
    Facts,
    IndexReader,
    Join,
    Letters,
    Named,
    PageBody,
    ReadableRecord,
    TermHit,
    Watch,
    WordEvidence,
    WordSnapshot,
)
from searchsocket.stores.base.store import (
    CANDIDATE,
    LIVE,
    PREVIOUS,
    Answering,
    Catalogue,
    Gate,
    Health,
    Publisher,
    PublishInfo,
    Readers,
    RecordRows,
    VectorStore,
    accept,
)
from searchsocket.stores.base.vectors import VectorIndex, VectorLimits, VectorRow, VectorSnapshot

__all__ = [
    "CANDIDATE",
    "LIVE",
    "PREVIOUS",
    "UNIT_TOLERANCE",
    "Answering",
    "Candidates",
    "Catalogue",
    "CatalogueSnapshot",
    "Facts",
    "Gate",
    "Health",
    "IndexReader",
    "Join",
    "Letters",
    "Named",
    "PageBody",
    "PublishInfo",
    "Publisher",
    "ReadableRecord",
    "Readers",
    "RecordRows",
    "TermHit",
    "VectorIndex",
    "VectorLimits",
    "VectorRow",
    "VectorSnapshot",
    "VectorStore",
    "Watch",
    "WordEvidence",
    "WordSnapshot",
    "accept",
    "check_records",
    "check_vectors",
    "index_digest",
]
