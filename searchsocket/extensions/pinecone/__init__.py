"""Vectors in Pinecone; records, words and page texts are in the folder, as with every store.

`tables.py` implements `VectorTables` over namespaces, finds or creates their index, and waits until writes are visible.
`namespace.py` has the fields of a row, the conditions of a query, and the two kinds of index. `connection.py` speaks to
the service within a deadline and translates its errors.
"""

from searchsocket.extensions.base import Extension, Store

EXTENSION = Extension(
    name="pinecone",
    store=Store(
        settings=f"{__name__}.settings:PineconeSettings", tables=f"{__name__}.tables:make_tables", name_key="index"
    ),
)
