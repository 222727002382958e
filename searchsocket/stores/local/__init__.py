"""The embedded index: generations as folders of files; `store.py` writes and switches, `live.py` opens what is live.

A record has four names. Where a file or an engine cannot hold the one that callers use, it has a number of its own:

- `id` is what callers know it by: the chunk's key, a text. The same in every generation.
- `doc` is what its pack (as the rowid) and the words (as a field) know it by. A record that stays keeps its doc
  from one generation to the next, and no doc is given out twice, so a small change touches few rows and documents.
- `row` is where its facts lie, and its vector once a generation is open: rows are in path order and without gaps, so a
  directory is a slice of the matrix. Each generation numbers them anew. `rows/` holds the id, the hash, the doc and the
  pack of every row, and where its vector lies there (`row_blocks.py`).
- `slot` is where its vector lies among those that a run has staged; nobody sees it after publishing.

Two orders decide between records that score alike: `id_order` rises as ids do, and rows themselves rise in path order.
Vectors may lie elsewhere (`vectors/part.py`): then an id is all that is known of one, and no row of it.

`numbering.py` turns one of these into another for queries. In `build/`, `origin` says for each doc where its vector
comes from: a row of the live matrix, or `~slot` (which is negative) of the staged ones.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchsocket.stores.local.store import LocalStore

__all__ = ["LocalStore"]


def __getattr__(name: str) -> Any:
    """The store, with all that builds generations, when it is asked for: who only reads one needs a third of that."""
    if name != "LocalStore":
        raise AttributeError(name)
    from searchsocket.stores.local.store import LocalStore

    return LocalStore
