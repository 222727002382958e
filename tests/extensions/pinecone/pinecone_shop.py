"""A store of three records in Pinecone, an edit of it, and what the service holds after that."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.namespace import BORN, DIED, RECORD
from searchsocket.extensions.pinecone.tables import PineconeTables
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.table_vectors import TableVectors
from searchsocket.testing.store.samples import EAST, INFO, MAIN, NORTH, record
from tests.extensions.pinecone.server.service import Service

KEY = "pcsk_opensesame-1234567890"


def store_at(
    folder: Path,
    service: Service,
    *,
    timeout_s: float = 30.0,
    sleep: Callable[[float], None] = lambda seconds: None,
    kind: type[PineconeConnection] = PineconeConnection,
) -> LocalStore:
    """A store of a new process."""
    connection = kind(KEY, host=service.base_url, timeout_s=timeout_s, sleep=sleep)
    return LocalStore(folder, "shop", vectors=TableVectors(PineconeTables(connection, "shop"), "shop"))


def edit(store: LocalStore) -> None:
    """What follows on a, b and c: b is another, c went, d is new."""
    store.upsert([record("b", text="edited"), record("d")], np.stack([NORTH, EAST]), MAIN)
    store.delete_by_ids(["c"], MAIN)
    store.publish(MAIN, INFO)


def rows(service: Service) -> list[tuple[str, int, int]]:
    """Every row of the service with the places of its first and last generation, but for the mark."""
    found = [row.metadata for row in service.indexes["shop-8"].namespaces["shop:main"].searches.rows.values()]
    numbers = sorted({number for row in found if BORN in row for number in (row[BORN], row[DIED])})
    return sorted((row[RECORD], numbers.index(row[BORN]), numbers.index(row[DIED])) for row in found if BORN in row)


AFTER_THE_EDIT = [("a", 0, 2), ("b", 0, 1), ("b", 1, 2), ("c", 0, 1), ("d", 1, 2)]
