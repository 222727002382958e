"""Vectors on a Milvus server; records, words and page texts are in the index folder, as with every store.

Tested with server 2.3.5 and Milvus Lite 3.2.

`rows.py` defines the fields of a row and reads the rows of a generation, `index.py` writes generations. `filters.py`
has the filters of queries, and `connection.py` calls the server.
"""

from searchsocket.project.settings.model import MilvusSettings
from searchsocket.stores.milvus.connection import MilvusConnection
from searchsocket.stores.milvus.index import MilvusVectors
from searchsocket.stores.milvus.kinds import kind_of

__all__ = ["MilvusVectors", "make_milvus"]


def make_milvus(settings: MilvusSettings, project_id: str, uri: str, token: str) -> MilvusVectors:
    """The vectors of a project on the server at `uri`; connects to nothing yet."""
    connection = MilvusConnection(uri, token, settings.timeout_s, token_env=settings.token_env)
    return MilvusVectors(connection, settings.collection or f"{project_id}_chunks", project_id, kind=kind_of(settings))
