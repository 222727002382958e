"""Vectors in Pinecone; records, words and page texts are in the folder, as with every store.

`rows.py` says what a row holds, `filters.py` how a query names rows, `connection.py` speaks to the service in bounded
time (`transport.py`) and says its errors in our words. There are two kinds of index, `documents.py` and
`legacy.py`, which `directory.py` finds or makes; `index.py` writes generations, `generation_rows.py` reads one.
`mark.py` is the row that says what a namespace holds, and `upkeep.py` looks after it all.
"""

from searchsocket.stores.pinecone.index import PineconeVectors

__all__ = ["PineconeVectors"]
