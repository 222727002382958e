"""Pinecone throttles, refuses, loses, forgets, or a run is killed: what is said, and that the next run is whole."""

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.extensions.pinecone.connection import PineconeConnection
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import MAIN, everything, fill, record
from tests.extensions.pinecone.pinecone_shop import AFTER_THE_EDIT, KEY, edit, rows, store_at
from tests.extensions.pinecone.server import documents as documents_server
from tests.extensions.pinecone.server.refused import Refused
from tests.extensions.pinecone.server.running import running
from tests.extensions.pinecone.server.service import Service

T = TypeVar("T")
OLD, NEW = {"a", "b", "c"}, {"a", "b", "d"}


@pytest.fixture(scope="module")
def socket() -> Iterator[Service]:
    with running(Service(key=KEY)) as service:
        yield service


@pytest.fixture
def service(socket: Service, tmp_path: Path) -> Service:
    """A service that holds what is published in `tmp_path / "index"`."""
    socket.__init__(key=KEY, max_lag=3)  # type: ignore[misc]
    fill(store_at(tmp_path / "index", socket), [record(name) for name in "abc"])
    return socket


def refuse(service: Service, status: int, message: str, times: int, verbs: str, retry_after: str = "") -> list[str]:
    """Refuse some of what is asked; what was refused."""
    refused: list[str] = []

    def before(verb: str, body: bytes) -> None:
        if verb in verbs.split() and len(refused) < times:
            refused.append(verb)
            raise Refused(status, message, retry_after=retry_after)

    service.before = before
    return refused


def next_run(folder: Path, service: Service) -> None:
    """A run of a new process brings about what the one before it could not, with no row more."""
    service.before = service.after = None
    assert everything(store_at(folder, service).reader(MAIN)) == OLD
    store = store_at(folder, service)
    store.discard(MAIN)
    edit(store)
    assert everything(store.reader(MAIN)) == NEW
    assert rows(service) == AFTER_THE_EDIT


@pytest.mark.parametrize("status", [429, 503])
def test_a_storm_that_passes_delays_a_run(status: int, service: Service, tmp_path: Path) -> None:
    waits: list[float] = []
    store = store_at(tmp_path / "index", service, sleep=waits.append)
    refused = refuse(service, status, "too much", 4, "upsert", "7")
    edit(store)
    assert len(refused) == 4
    assert waits.count(7.0) == 4
    assert everything(store.reader(MAIN)) == NEW
    assert rows(service) == AFTER_THE_EDIT


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("verb", ["upsert", "update", "delete", "search", "upsert update delete search"])
def test_a_storm_that_stays_ends_a_run_and_is_told(status: int, verb: str, service: Service, tmp_path: Path) -> None:
    waits: list[float] = []
    store = store_at(tmp_path / "index", service, sleep=waits.append)
    refused = refuse(service, status, "too much", 10**9, verb, "90")
    with pytest.raises(VectorBackendUnavailable, match=f"{status}: too much"):
        edit(store)
    assert len(refused) <= 12
    assert max(waits, default=0) <= 20
    next_run(tmp_path / "index", service)


def test_a_query_is_asked_twice_and_not_again_by_whoever_is_throttled(service: Service, tmp_path: Path) -> None:
    reader = store_at(tmp_path / "index", service).reader(MAIN)
    refused = refuse(service, 503, "restarting", 1, "search")
    assert everything(reader) == OLD
    assert len(refused) == 1
    refused = refuse(service, 429, "too many", 9, "search", "1")
    with pytest.raises(VectorBackendUnavailable, match="it throttles this project"):
        everything(reader)
    assert len(refused) == 1


def test_a_key_that_expires_while_a_run_goes_is_told_and_not_written(service: Service, tmp_path: Path) -> None:
    store = store_at(tmp_path / "index", service)
    service.after = lambda verb, body: setattr(service, "key", "another") if verb == "update" else None
    with pytest.raises(VectorBackendUnavailable, match="it rejects the key in PINECONE_API_KEY") as refused:
        edit(store)
    assert KEY not in str(refused.value)
    service.key = KEY
    next_run(tmp_path / "index", service)


def test_a_service_that_repeats_the_key_does_not_make_us_tell_it(service: Service, tmp_path: Path) -> None:
    refuse(service, 401, f"no key {KEY}\x1b[31m", 9, "search")
    with pytest.raises(VectorBackendUnavailable) as refused:
        everything(store_at(tmp_path / "index", service).reader(MAIN))
    assert "no key [key] [31m" in str(refused.value)


def test_an_index_that_is_full_is_told(service: Service, tmp_path: Path) -> None:
    refused = refuse(service, 403, "You've reached your storage quota", 10**9, "upsert")
    with pytest.raises(VectorBackendUnavailable, match=r"quota is used up.*storage quota"):
        edit(store_at(tmp_path / "index", service))
    assert len(refused) == 1  # it is not asked again
    next_run(tmp_path / "index", service)


@pytest.mark.parametrize("times", [1, 10**9])
def test_half_an_upsert_is_made_whole(times: int, service: Service, tmp_path: Path) -> None:
    """The service keeps the first half of a batch and fails."""
    index = service.indexes["shop-8"]
    halves: list[int] = []

    def before(verb: str, body: bytes) -> None:
        documents = json.loads(body)["documents"] if verb == "upsert" else []
        if len(documents) > 1 and len(halves) < times:
            halves.append(len(documents))
            documents_server.upsert(index, "shop:main", {"documents": documents[: len(documents) // 2]})
            raise Refused(500, "half of it")

    service.before = before
    store = store_at(tmp_path / "index", service)
    if times == 1:
        edit(store)
        assert everything(store.reader(MAIN)) == NEW
        assert rows(service) == AFTER_THE_EDIT
    else:
        with pytest.raises(VectorBackendUnavailable, match="half of it"):
            edit(store)
        next_run(tmp_path / "index", service)
    assert halves


def test_what_is_not_seen_in_time_is_not_published(service: Service, tmp_path: Path) -> None:
    waits: list[float] = []
    store = store_at(tmp_path / "index", service, sleep=waits.append)
    searches = service.indexes["shop-8"].namespaces["shop:main"].searches
    searches.max_lag = -1
    with pytest.raises(
        VectorBackendUnavailable, match="are not visible after 121 s; the previous generation stays live"
    ):
        edit(store)
    assert 120 <= sum(waits) <= 250  # of the run and of its tidying
    searches.catch_up()
    next_run(tmp_path / "index", service)


def test_a_clock_that_was_set_back_names_no_generation_that_would_not_be_seen(service: Service, tmp_path: Path) -> None:
    """Rows begin and end with generations in the order of their numbers."""
    store = store_at(tmp_path / "index", service)
    store._clock = lambda: datetime(1999, 1, 1, tzinfo=UTC)
    edit(store)
    assert everything(store.reader(MAIN)) == NEW
    assert rows(service) == AFTER_THE_EDIT


def test_an_index_that_is_deleted_while_it_is_used_is_told(service: Service, tmp_path: Path) -> None:
    reader = store_at(tmp_path / "index", service).reader(MAIN)
    assert everything(reader) == OLD
    held = dict(service.indexes)
    service.indexes.clear()
    for _ in range(2):
        with pytest.raises(VectorBackendUnavailable, match="searchsocket index"):
            everything(reader)
    service.indexes |= held
    assert everything(reader) == OLD


class Killed(BaseException):
    """The process is no more."""


@pytest.mark.parametrize("kind", ["documents", pytest.param("legacy", marks=pytest.mark.long)])
def test_a_run_that_is_killed_between_any_two_calls_is_invisible_and_the_next_one_whole(
    kind: str, socket: Service, tmp_path: Path
) -> None:
    socket.__init__(key=KEY, max_lag=3)  # type: ignore[misc]
    if kind == "legacy":
        socket.add_legacy("shop-8", 8)
    fill(store_at(tmp_path / "index", socket), [record(name) for name in "abc"])
    held = copy.deepcopy(socket.indexes)
    for last in range(99):
        folder = tmp_path / str(last)
        shutil.copytree(tmp_path / "index", folder)
        socket.indexes = copy.deepcopy(held)
        if lives(store_at(folder, socket, kind=mortal(last))):
            break
        next_run(folder, socket)
        shutil.rmtree(folder)
    assert last > 8
    assert rows(socket) == AFTER_THE_EDIT


def lives(store: LocalStore) -> bool:
    """Whether a run comes to its end."""
    try:
        edit(store)
    except Killed:
        return False
    return True


def mortal(last: int) -> type[PineconeConnection]:
    """A process that dies before it has asked more than so many times."""
    asked = 0

    class Mortal(PineconeConnection):
        def read(self, ask: Callable[[], T], index: str = "") -> T:
            self._live()
            return super().read(ask, index)

        def write(self, ask: Callable[[], T], index: str = "") -> T:
            self._live()
            return super().write(ask, index)

        def _live(self) -> None:
            nonlocal asked
            asked += 1
            if asked > last:
                raise Killed

    return Mortal
