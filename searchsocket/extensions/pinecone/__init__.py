"""Vectors in Pinecone; records, words and page texts are in the folder, as with every store.

`rows.py` has the fields of a row, `filters.py` the conditions of a query. `connection.py` speaks to the service within
a deadline and translates its errors. `namespace.py` has the two kinds of index; `directory.py` finds or creates one.
`index.py` writes generations to a namespace, reads them, finds problems and deletes. `mark.py` is the marker row of a
namespace.
"""

from searchsocket.extensions.base import Extension, Store

EXTENSION = Extension(
    name="pinecone",
    store=Store(
        settings=f"{__name__}.settings:PineconeSettings", index=f"{__name__}.index:make_index", name_key="index"
    ),
)
