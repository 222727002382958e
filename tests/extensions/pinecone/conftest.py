"""A Pinecone of this machine, of which each test sees indexes of its own; both kinds of index."""

from collections.abc import Iterator

import pytest

from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.tables import PineconeTables
from searchsocket.stores.table_vectors import TableVectors
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service


@pytest.fixture(scope="session")
def socket() -> Iterator[Service]:
    """One socket for all tests."""
    with running(Service()) as service:
        yield service


@pytest.fixture
def service(socket: Service) -> Service:
    """A service without an index, which sees writes late and out of order."""
    socket.__init__(max_lag=5)  # type: ignore[misc]
    return socket


@pytest.fixture(scope="session")
def connection(socket: Service) -> PineconeConnection:
    return PineconeConnection("right-key", host=socket.base_url, sleep=lambda seconds: None)


@pytest.fixture(params=["documents", "legacy"])
def vectors(request: pytest.FixtureRequest, service: Service, connection: PineconeConnection) -> TableVectors:
    """Generations in a new index, or in one that was there."""
    if request.param == "legacy":
        for dimension in (2, 8):
            service.add_legacy(f"shop-{dimension}", dimension)
    return TableVectors(PineconeTables(connection, "shop"), "shop")
