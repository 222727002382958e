"""A pointer that this release cannot read may have a live lease, and may name an index that others use."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import NewerRelease, ScopeLocked
from searchsocket.stores.artifacts.documents import Writer, pointer_name
from searchsocket.stores.artifacts.lease import DURATION_S
from searchsocket.stores.artifacts.objects import open_objects
from searchsocket.stores.artifacts.objects.base import Objects, read
from searchsocket.stores.artifacts.scope_lease import ScopeLease
from searchsocket.types import Scope

NAME = pointer_name("main")


class Clock:
    """A time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.on_sleep: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.on_sleep()

    def lease(self, objects: Objects, host: str) -> ScopeLease:
        return ScopeLease(
            objects,
            Scope("site", "main"),
            Writer(host=host, pid=1, run=host, disk=host),
            clock=lambda: datetime(2026, 11, 26, tzinfo=UTC) + timedelta(seconds=self.now_s),
            monotonic=lambda: self.now_s,
            sleep=self.sleep,
        )


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return open_objects(f"file://{tmp_path}")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.parametrize("change", [lambda d: d.update(format=2), lambda d: d["lease"].update(priority=1)])
def test_the_lease_of_a_newer_release_is_not_taken(
    objects: Objects, clock: Clock, change: Callable[[dict[str, Any]], object]
) -> None:
    """However long it is waited for: two releases may work on one bucket while machines are upgraded in turn."""
    clock.lease(objects, "newer").acquire()
    document = json.loads(read(objects, NAME, 10_000))
    change(document)
    objects.put(NAME, stored := json.dumps(document).encode())
    with pytest.raises(NewerRelease, match="upgrade searchsocket"):
        clock.lease(objects, "older").acquire(timeout_s=10 * DURATION_S)
    assert read(objects, NAME, 10_000) == stored


def test_a_damaged_pointer_is_written_again_once_no_lease_in_it_can_be_live(objects: Objects, clock: Clock) -> None:
    objects.put(NAME, b"{")
    told: list[str] = []
    clock.lease(objects, "here").acquire(on_wait=told.append)
    assert told == ["an unknown writer, since the pointer is damaged"]
    assert clock.now_s >= DURATION_S
    with pytest.raises(ScopeLocked, match="on here"):
        clock.lease(objects, "there").acquire()


def test_a_damaged_pointer_that_changes_has_a_holder(objects: Objects, clock: Clock) -> None:
    """Its lease is renewed, by a writer whose documents cannot be read here."""
    objects.put(NAME, b"0")
    clock.on_sleep = lambda: objects.put(NAME, b"%d{" % clock.now_s)
    with pytest.raises(ScopeLocked, match="an unknown writer"):
        clock.lease(objects, "here").acquire()
