"""The promises of every vector index, on the real service: a few hundred rows in two indexes, which go at the end."""

import os
import secrets
from collections.abc import Iterator

import pytest

from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.tables import PineconeTables
from searchsocket.stores.table_vectors import TableVectors
from searchsocket.testing.store.samples import DRAFT, MAIN
from searchsocket.testing.vector_index import VectorIndexContract

KEY = os.environ.get("PINECONE_API_KEY", "")
HOST = os.environ.get("PINECONE_CONTROLLER_HOST", "")

pytestmark = [
    pytest.mark.skipif(not KEY, reason="PINECONE_API_KEY is not set: nothing was tried on the real service"),
]


@pytest.fixture(scope="module")
def live() -> Iterator[tuple[PineconeConnection, str]]:
    """A connection, and the name of indexes that nobody else has."""
    connection = PineconeConnection(KEY, host=HOST, timeout_s=30.0)
    name = f"searchsocket-test-{secrets.token_hex(4)}"
    yield connection, name
    for model in list(connection.indexes().list()):
        if model.name.startswith(name):
            connection.indexes().delete(model.name, timeout=-1)


class TestPineconeLive(VectorIndexContract):
    @pytest.fixture
    def index(self, live: tuple[PineconeConnection, str]) -> Iterator[TableVectors]:
        index = TableVectors(PineconeTables(*live), "shop")
        yield index
        for scope in (MAIN, DRAFT):
            index.retain(scope, [])
