"""A pointer that this release cannot read may have a live lease, and may name an index that others use."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import NewerRelease, ScopeLocked
from searchsocket.extensions.fleet.documents import Writer, pointer_name
from searchsocket.extensions.fleet.lease import DURATION_S, ScopeLease
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects, read
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


def test_a_damaged_pointer_is_written_again_once_no_lease_in_it_can_be_live(
    objects: Objects, clock: Clock, tmp_path: Path
) -> None:
    objects.put(NAME, b"{")
    with pytest.raises(ScopeLocked, match="an unknown writer, since the pointer is damaged"):
        clock.lease(objects, "here").acquire()
    age(tmp_path / NAME, DURATION_S)
    clock.lease(objects, "here").acquire()
    with pytest.raises(ScopeLocked, match="on here"):
        clock.lease(objects, "there").acquire()


def test_a_damaged_pointer_that_changes_has_a_holder(objects: Objects, clock: Clock) -> None:
    """Its lease is renewed, by a writer whose documents cannot be read here."""
    objects.put(NAME, b"0")
    clock.on_sleep = lambda: objects.put(NAME, b"%d{" % clock.now_s)
    with pytest.raises(ScopeLocked, match="an unknown writer"):
        clock.lease(objects, "here").acquire(timeout_s=10 * DURATION_S)


@pytest.mark.parametrize("ahead_s", [-86_400.0, 120.0, 86_400.0])
def test_a_wrong_clock_takes_no_live_lease_and_keeps_no_dead_one(
    objects: Objects, clock: Clock, tmp_path: Path, ahead_s: float
) -> None:
    """Only the age of the pointer by the clock of the object store counts."""
    clock.lease(objects, "here").acquire()
    clock.now_s = ahead_s
    with pytest.raises(ScopeLocked, match="on here"):
        clock.lease(objects, "there").acquire()
    age(tmp_path / NAME, DURATION_S)
    clock.lease(objects, "there").acquire()
    with pytest.raises(ScopeLocked, match="on there"):
        clock.lease(objects, "here").acquire()


def age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))
