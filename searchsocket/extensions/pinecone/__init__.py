"""Vectors in Pinecone; records, words and page texts are in the folder, as with every store.

`tables.py` implements `VectorTables` over namespaces, finds or creates their index, and waits until writes are visible.
`rows.py` has the fields of a row and the conditions of a query. `connection.py` speaks to the service within a deadline
and translates its errors. `namespace.py` has the two kinds of index.
"""

from searchsocket.extensions.base import Extension, Store

EXTENSION = Extension(
    name="pinecone",
    store=Store(
        settings=f"{__name__}.settings:PineconeSettings", tables=f"{__name__}.tables:make_tables", name_key="index"
    ),
)
