"""Milvus answers late, in part, garbled or not at all: what a query and a run say, and what the next one does."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.milvus.connection import MilvusConnection
from searchsocket.testing.store.samples import MAIN, everything
from tests.extensions.milvus.faults.milvus_shop import OLD, edit, next_run, store_at
from tests.extensions.milvus.running import NEEDS_SERVER, TOKEN, server_uri
from tests.extensions.wire import CUT_AT_ONCE, DRIPPING, REFUSED, STALLED, Fault, Wire, wire

pytestmark = NEEDS_SERVER

# The protocol is of frames with nine bytes before each.
FAULTS = [
    REFUSED,
    CUT_AT_ONCE,
    Fault("cut in a frame", after=25),
    Fault("garbled at once", garbles=True),
    Fault("garbled in a frame", after=25, garbles=True),
    STALLED,
    Fault("stalled in a frame", after=25, stalls=True),
    DRIPPING,
]


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with wire(server_uri(tmp_path_factory)) as line:
        yield line


def through(line: Wire, timeout_s: float = 60.0, kind: type[MilvusConnection] = MilvusConnection) -> MilvusConnection:
    return kind(f"http://127.0.0.1:{line.port}", TOKEN, timeout_s=timeout_s)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_query_says_so_in_time_and_the_next_one_is_answered(
    fault: Fault, milvus_folder: Path, name: str, line: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    connection = through(line, timeout_s=1.0)
    reader = store_at(milvus_folder, connection, name).reader(MAIN)
    assert everything(reader) == OLD
    line.fault = fault
    line.cut()
    with pytest.raises(VectorBackendUnavailable) as away:
        everything(reader)
    assert str(away.value).startswith(f"Milvus at http://127.0.0.1:{line.port}: ")
    assert not any(TOKEN in text for text in (str(away.value), repr(away.value), caplog.text))
    line.fault = None
    line.cut()
    connection._timeout_s = 60.0
    assert everything(reader) == OLD


def test_a_wire_that_is_cut_between_requests_is_no_trouble(milvus_folder: Path, name: str, line: Wire) -> None:
    """A service of hours, whose kept connection the other side has ended."""
    reader = store_at(milvus_folder, through(line), name).reader(MAIN)
    for _ in range(3):
        assert everything(reader) == OLD
        line.cut()


@pytest.mark.parametrize("fault", [FAULTS[0], FAULTS[2], FAULTS[4], STALLED], ids=str)
def test_a_run_says_so_and_the_next_one_writes_nothing_twice(
    fault: Fault, milvus_folder: Path, name: str, server: MilvusConnection, line: Wire
) -> None:
    class Begins(MilvusConnection):
        """What a run asks first is answered; the fault begins with the answer to what it writes."""

        def call(self, name: str, *arguments: Any, **options: Any) -> Any:
            if name == "upsert" and line.fault is None:
                line.fault, self._timeout_s = fault, 1.0
            return super().call(name, *arguments, **options)

    with pytest.raises(VectorBackendUnavailable):
        edit(store_at(milvus_folder, through(line, kind=Begins), name))
    line.fault = None
    line.cut()
    next_run(milvus_folder, server, name)
