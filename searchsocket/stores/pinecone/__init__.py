"""Vectors in Pinecone; records, words and page texts are in the folder, as with every store.

`rows.py` has the fields of a row, `filters.py` the conditions of a query. `connection.py` speaks to the service within
a deadline and translates its errors. `namespace.py` has the two kinds of index; `directory.py` finds or creates one.
`index.py` writes generations to a namespace, reads them, finds problems and deletes. `mark.py` is the marker row of a
namespace.
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
