"""Vectors on a Milvus server; records, words and page texts are in the folder, as with every store.

Tried on a server 2.3.5 and on Milvus Lite 3.2.

`schema.py` says what a row holds, `filters.py` how a query names rows, `connection.py` speaks to the server,
`index.py` writes generations, `rows.py` reads one.
"""

from searchsocket.stores.milvus.index import MilvusVectors

__all__ = ["MilvusVectors"]
