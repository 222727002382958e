"""A store that loads scopes when they are searched: how long callers wait, and how many."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from search_site import MAIN, PROJECT

from searchsocket.errors import IndexLoading
from searchsocket.extensions.fleet.follow import OnDemand, PulledStore, Waiters
from searchsocket.extensions.fleet.objects.base import Objects, ObjectsBelow
from searchsocket.extensions.fleet.pulled_files import PulledFiles
from searchsocket.types import Scope
from tests.extensions.fleet.machines import GIGABYTE, PIECES, Indexer

SLOW = Scope(PROJECT, "slow")


class Stalled(ObjectsBelow):
    """Objects of which the pointers of one scope come when the test says so."""

    go_on = Event()

    def stream(self, name: str) -> Iterator[bytes]:
        if name.startswith("scopes/slow/") and not self.go_on.wait(30):
            raise AssertionError("the test ended")
        return super().stream(name)


def loading_store(root: Path, objects: Objects, waiters: Waiters, deadline_s: float) -> PulledStore:
    store = PulledStore(objects, root, PROJECT, poll_s=60, max_bytes=GIGABYTE)
    store.load_on_demand(OnDemand(PulledFiles(GIGABYTE), waiters, deadline_s))
    return store


def test_callers_wait_for_a_slow_scope_only_so_long(indexer: Indexer, tmp_path: Path, objects: Objects) -> None:
    indexer.publish_and_push(PIECES[:2], SLOW)
    stalled = Stalled(objects, ".")
    stalled.go_on = Event()
    store = loading_store(tmp_path / "reader", stalled, Waiters(), 0.05)
    for _ in range(2):
        with pytest.raises(IndexLoading, match="slow"):
            store.reader(SLOW)
    with pytest.raises(IndexLoading):  # health: it is not an error that nobody searched it
        store.answering(SLOW)
    stalled.go_on.set()
    patient = loading_store(tmp_path / "reader", stalled, Waiters(), 30)
    assert patient.reader(SLOW).generation.records == 2
    stalled.go_on.clear()
    again = loading_store(tmp_path / "reader", stalled, Waiters(), 0.05)
    assert again.reader(SLOW).generation.records == 2  # the copy on the disk answers meanwhile
    stalled.go_on.set()
    for each in (store, patient, again):
        each.close()


def test_few_threads_wait_so_that_the_others_answer(indexer: Indexer, tmp_path: Path, objects: Objects) -> None:
    indexer.publish_and_push(PIECES[:2])
    stalled = Stalled(objects, ".")
    stalled.go_on = Event()
    waiters = Waiters(1)
    store = loading_store(tmp_path / "reader", stalled, waiters, 30)
    has_begun = Event()

    def wait() -> None:
        has_begun.set()
        with pytest.raises(Exception, match="slow"):  # nothing was pushed
            store.reader(SLOW)

    waiting = Thread(target=wait)
    waiting.start()
    has_begun.wait(30)
    while waiters.slots._value:
        waiting.join(0.01)
    with pytest.raises(IndexLoading):
        store.reader(SLOW)
    stalled.go_on.set()
    waiting.join(30)
    assert store.reader(MAIN).generation.records == 2
    store.close()


def test_a_scope_whose_files_another_process_removed_is_loaded_again(
    indexer: Indexer, tmp_path: Path, objects: Objects
) -> None:
    indexer.publish_and_push(PIECES[:2])
    root = tmp_path / "reader"
    store = loading_store(root, objects, Waiters(), 30)
    store.reader(MAIN)
    other = PulledFiles(1, grace_s=0)
    other.scan([root])
    assert not (root / "main" / "CURRENT").exists()
    assert store.reader(MAIN).generation.records == 2
    store.close()
