"""A store of three records on a Milvus server, an edit of it, and what the server holds after that."""

from pathlib import Path

import numpy as np

from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.extensions.milvus.index import MilvusVectors
from searchsocket.extensions.milvus.rows import BORN, DIED, ID
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import EAST, INFO, MAIN, NORTH, everything, record

OLD, NEW = {"a", "b", "c"}, {"a", "b", "d"}
AFTER_THE_EDIT = [("a", 0, 2), ("b", 0, 1), ("b", 1, 2), ("c", 0, 1), ("d", 1, 2)]


def store_at(folder: Path, connection: MilvusConnection, name: str) -> LocalStore:
    """A store of a new process."""
    return LocalStore(folder, "shop", vectors=MilvusVectors(connection, name, "shop"))


def edit(store: LocalStore) -> None:
    """What follows on a, b and c: b is another, c went, d is new."""
    store.upsert([record("b", text="edited"), record("d")], np.stack([NORTH, EAST]), MAIN)
    store.delete_by_ids(["c"], MAIN)
    store.publish(MAIN, INFO)


def rows(connection: MilvusConnection, name: str) -> list[tuple[str, int, int]]:
    """Every row of the server with the places of its first and last generation, but for the marks."""
    collection = f"{name}_8"
    connection.load(collection)
    found = connection.call(
        "query", collection, filter=f'{ID} != ""', output_fields=[ID, BORN, DIED], consistency_level="Strong"
    )
    names = sorted({row[which] for row in found for which in (BORN, DIED)})
    return sorted((row[ID], names.index(row[BORN]), names.index(row[DIED])) for row in found)


def next_run(folder: Path, server: MilvusConnection, name: str) -> None:
    """A run of a new process brings about what the one before it could not, with no row more."""
    assert everything(store_at(folder, server, name).reader(MAIN)) == OLD
    store = store_at(folder, server, name)
    store.discard(MAIN)
    edit(store)
    assert everything(store.reader(MAIN)) == NEW
    assert rows(server, name) == AFTER_THE_EDIT
