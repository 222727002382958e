"""Vectors on a Milvus server; records, words and page texts are in the index folder, as with every store.

Tested with server 2.3.5 and Milvus Lite 3.2.

`rows.py` defines the fields of a row and reads the rows of a generation, `index.py` writes generations. `filters.py`
has the filters of queries, and `connection.py` calls the server.
"""

from searchsocket.extensions.base import Extension, Store

EXTENSION = Extension(
    name="milvus",
    store=Store(
        settings=f"{__name__}.settings:MilvusSettings",
        index=f"{__name__}.index:make_index",
        name_key="collection",
        has_one_project=True,
    ),
)
