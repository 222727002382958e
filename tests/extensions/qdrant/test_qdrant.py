"""Vectors in Qdrant keep the promises of every store; the client's local mode answers, and errors come over HTTP."""

import json
import threading
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from searchsocket.errors import KeyMissing, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.qdrant.tables import QdrantTables
from searchsocket.project.settings.model import VectorSettings
from searchsocket.project.settings.section import HnswSettings
from searchsocket.stores import make_vectors
from searchsocket.testing.store.filters import FiltersContract
from searchsocket.testing.store.samples import DIMENSIONS, EAST
from searchsocket.testing.stores import StoreContract
from searchsocket.testing.vector_index import LingeringRowsContract, VectorIndexContract, VectorUpkeepContract

KEY = "qd-secret-key-of-the-shop"


class InMemory(QdrantTables):
    """The local mode without its file, which takes ten times as long."""

    def _new_client(self, kind: type[QdrantClient]) -> QdrantClient:
        return kind(":memory:")


class TestQdrantStore(FiltersContract, LingeringRowsContract, VectorIndexContract, VectorUpkeepContract):
    """Its tables are tried; what is made of them alone is tried with those of Postgres."""

    index_of, index, store = StoreContract.index_of, StoreContract.index, StoreContract.store

    @pytest.fixture
    def tables(self) -> QdrantTables:
        return InMemory("folder", "shop", hnsw=HnswSettings())


class Replies(HTTPServer):
    """A server that answers every request with one status."""

    status = 200


class Handler(BaseHTTPRequestHandler):
    server: Replies

    def do_GET(self) -> None:
        body = json.dumps({"status": {"error": f"not for {self.headers.get('api-key')}"}}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[Replies]:
    with Replies(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (401, VectorBackendRefused, "answers 401: .*set a valid key in the variable of vector.qdrant.api_key_env"),
        (403, VectorBackendRefused, "lacks permission"),
        (404, VectorBackendRefused, "index --resync"),
        (400, VectorBackendRefused, "answers 400"),
        (503, VectorBackendUnavailable, "answers 503"),
    ],
)
def test_a_server_that_refuses_is_an_error_without_the_key(
    server: Replies, status: int, kind: type[VectorBackendUnavailable], message: str
) -> None:
    server.status = status
    tables = QdrantTables(f"http://127.0.0.1:{server.server_port}", "shop", api_key=KEY)
    with pytest.raises(VectorBackendUnavailable, match=message) as raised:
        tables.table(DIMENSIONS).nearest(EAST, limit=5, where=[])
    assert type(raised.value) is kind
    assert KEY not in "".join(traceback.format_exception(raised.value))
    assert KEY not in repr(tables)


def test_a_server_that_is_away_is_worth_another_try() -> None:
    with pytest.raises(VectorBackendUnavailable) as raised:
        QdrantTables("http://127.0.0.1:9", "shop").dimensions()
    assert type(raised.value) is VectorBackendUnavailable


def test_a_folder_that_is_in_use_and_a_collection_that_is_gone_are_refused(tmp_path: Path) -> None:
    tables = QdrantTables(str(tmp_path), "shop")
    with pytest.raises(VectorBackendRefused, match="index --resync"):
        tables.table(DIMENSIONS).nearest(EAST, limit=5, where=[])
    with pytest.raises(VectorBackendRefused, match="already accessed by another instance"):
        QdrantTables(str(tmp_path), "shop").dimensions()


def test_an_address_that_is_not_set_is_asked_for() -> None:
    with pytest.raises(KeyMissing, match="environment variable QDRANT_URL"):
        make_vectors(VectorSettings(provider="qdrant"), "shop", {})
