"""Vectors in Pinecone; records, words and page texts are in the folder, as with every store.

`rows.py` says what a row holds, `filters.py` how a query names rows, `connection.py` speaks to the service in bounded
time (`transport.py`) and says its errors in our words. There are two kinds of index, `documents.py` and
`legacy.py`, which `directory.py` finds or makes; `index.py` writes generations, `generation_rows.py` reads one.
`mark.py` is the row that says what a namespace holds, and `upkeep.py` looks after it all.
"""

from searchsocket.project.settings.model import PineconeSettings
from searchsocket.stores.pinecone.connection import PineconeConnection
from searchsocket.stores.pinecone.index import PineconeVectors

__all__ = ["PineconeVectors", "make_pinecone"]


def make_pinecone(settings: PineconeSettings, project_id: str, key: str, host: str) -> PineconeVectors:
    """The vectors of a project in its index; connects to nothing yet.

    Args:
        host: Address of the service; "" = Pinecone's own.
    """
    connection = PineconeConnection(key, key_env=settings.api_key_env, host=host, timeout_s=settings.timeout_s)
    index = settings.index or project_id
    return PineconeVectors(connection, index, project_id, cloud=settings.cloud, region=settings.region)
