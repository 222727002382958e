"""Pinecone answers late, in part, garbled or not at all: what a query and a run say, and what the next one does."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.extensions.pinecone.tables import PineconeTables
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.table_vectors import TableVectors
from searchsocket.testing.store.samples import MAIN, everything, fill, record
from tests.extensions.pinecone.pinecone_shop import AFTER_THE_EDIT, KEY, edit, rows, store_at
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service
from tests.extensions.wire import QUICK, SLOW, Fault, Wire, wire


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running(Service(key=KEY)) as service:
        yield service


@pytest.fixture
def line(service: Service) -> Iterator[Wire]:
    """A wire to a service without an index."""
    address = service.base_url
    with wire(address) as line:
        service.__init__(key=KEY, max_lag=2)  # type: ignore[misc]
        service.base_url = f"http://127.0.0.1:{line.port}"
        yield line
        service.base_url = address


@pytest.mark.parametrize("fault", [*QUICK, *SLOW], ids=str)
def test_a_query_says_so_in_time_and_the_next_one_is_answered(
    fault: Fault, tmp_path: Path, service: Service, line: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fill(store_at(tmp_path, service), [record(name) for name in "abc"])
    reader = store_at(tmp_path, service, timeout_s=0.4 if fault in SLOW else 30.0).reader(MAIN)
    everything(store_at(tmp_path, service).reader(MAIN))
    line.fault = fault
    with pytest.raises(VectorBackendUnavailable) as away:
        everything(reader)
    assert str(away.value).startswith("Pinecone")
    assert not any(KEY[5:] in text for text in (str(away.value), repr(away.value), caplog.text))
    line.fault = None
    line.cut()
    assert everything(store_at(tmp_path, service).reader(MAIN)) == {"a", "b", "c"}


@pytest.mark.parametrize("fault", [*QUICK, SLOW[2]], ids=str)
def test_a_run_says_so_and_the_next_one_writes_nothing_twice(
    fault: Fault, tmp_path: Path, service: Service, line: Wire
) -> None:
    fill(store_at(tmp_path, service), [record(name) for name in "abc"])
    # What the run asks first is answered; the fault begins with what it writes.
    service.after = lambda verb, body: setattr(line, "fault", fault) if verb == "upsert" else None
    with pytest.raises(VectorBackendUnavailable):
        edit(store_at(tmp_path, service, timeout_s=0.4 if fault in SLOW else 30.0))
    service.after, line.fault = None, None
    line.cut()
    assert everything(store_at(tmp_path, service).reader(MAIN)) == {"a", "b", "c"}
    store = store_at(tmp_path, service)
    store.discard(MAIN)
    edit(store)
    assert everything(store.reader(MAIN)) == {"a", "b", "d"}
    assert rows(service) == AFTER_THE_EDIT


def test_a_wire_that_is_cut_between_requests_is_no_trouble(tmp_path: Path, service: Service, line: Wire) -> None:
    """A service of hours, whose kept connections the other side has ended."""
    store = store_at(tmp_path, service)
    reader = fill(store, [record(name) for name in "abc"])
    for _ in range(3):
        line.cut()
        assert everything(reader) == {"a", "b", "c"}


def test_a_name_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    connection = PineconeConnection(KEY, host="http://nowhere.invalid", timeout_s=5.0, sleep=lambda seconds: None)
    with pytest.raises(VectorBackendUnavailable, match=r"nowhere\.invalid"):
        fill(
            LocalStore(tmp_path, "shop", vectors=TableVectors(PineconeTables(connection, "shop"), "shop")),
            [record("a")],
        )
