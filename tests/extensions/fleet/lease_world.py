"""Machines that publish one scope, interleaved at every request, over an object store that fails as networks do.

Each process runs the real lease in a greenlet. The scheduler decides, from a seed, which process sends the next
request, whether its answer is lost or its effect late, which process dies, and how far the clocks differ.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from greenlet import getcurrent, greenlet

from searchsocket.errors import ArtifactsUnavailable, ConfigError, LeaseLost, PublishedElsewhere, ScopeLocked
from searchsocket.extensions.fleet.documents import Pointer, Writer
from searchsocket.extensions.fleet.lease import ScopeLease, is_built_on
from searchsocket.extensions.fleet.objects.base import ObjectChanged, ObjectInfo, ObjectMissing
from searchsocket.types import Scope

SCOPE = Scope("site", "main")
_BEGIN = datetime(2026, 11, 26, tzinfo=UTC)
Write = tuple[bytes, str | None]


class Dead(BaseException):
    """The process was killed: nothing of it runs any more."""


class Bucket:
    """One object with versions."""

    def __init__(self) -> None:
        self.data, self.number = b"", 0
        self.written_s = 0.0
        self.clock: Callable[[], float] = lambda: 0.0
        self.history: list[bytes] = []

    @property
    def version(self) -> str | None:
        return str(self.number) if self.number else None

    def put_if(self, data: bytes, version: str | None) -> str:
        if version != self.version:
            raise ObjectChanged("changed")
        self.data, self.number, self.written_s = data, self.number + 1, self.clock()
        self.history.append(data)
        return str(self.number)


@dataclass
class World:
    """A bucket, the time, and the chance of everything."""

    seed: int
    bucket: Bucket = field(default_factory=Bucket)
    now_s: float = 0.0
    late: list[Write] = field(default_factory=list)  # writes under way whose sender has given up

    def __post_init__(self) -> None:
        self.bucket.clock = lambda: self.now_s
        self.chance = random.Random(self.seed)
        self.failures = self.chance.choice((0.0, 0.05, 0.2))
        self.deaths = self.chance.choice((0.0, 0.02, 0.08))
        self.speed_s = self.chance.choice((1.0, 10.0, 60.0))  # of a request, on average

    def run(self, processes: Sequence[Callable[[], None]]) -> None:
        """Interleave processes until all have ended."""
        scheduler = getcurrent()
        alive = [greenlet(process, scheduler) for process in processes]
        while alive:
            each = self.chance.choice(alive)
            each.switch()
            self.now_s += self.chance.random() * 2 * self.speed_s
            while self.late and self.chance.random() < 0.3:
                with suppress(ObjectChanged):
                    self.bucket.put_if(*self.late.pop(0))
            alive = [item for item in alive if not item.dead]

    def pause(self) -> None:
        parent = getcurrent().parent
        assert parent is not None
        parent.switch()


@dataclass
class Requests:
    """Implements the part of `Objects` that a lease uses, for one process."""

    world: World
    address: str = "memory://bucket"
    is_dead: bool = False

    def version(self, name: str) -> str | None:
        self._send()
        return self.world.bucket.version

    def stream(self, name: str) -> Iterator[bytes]:
        self._send()
        if not self.world.bucket.number:
            raise ObjectMissing(name)
        yield self.world.bucket.data

    def age_s(self, name: str) -> float:
        self._send()
        return self.world.now_s - self.world.bucket.written_s

    def put_if(self, name: str, data: bytes, version: str | None) -> str:
        self._send()
        world = self.world
        if world.chance.random() < world.failures:
            if world.chance.random() < 0.5:
                world.late.append((data, version))
            else:
                with suppress(ObjectChanged):  # done, or refused: the answer is lost
                    world.bucket.put_if(data, version)
            raise ArtifactsUnavailable("no answer")
        return world.bucket.put_if(data, version)

    def _send(self) -> None:
        self.world.pause()
        if self.is_dead or self.world.chance.random() < self.world.deaths:
            self.is_dead = True
            raise Dead
        if self.world.chance.random() < self.world.failures / 2:
            raise ArtifactsUnavailable("no answer")

    def size(self, name: str) -> int | None:
        raise NotImplementedError

    def put(self, name: str, data: bytes) -> None:
        raise NotImplementedError

    def put_file(self, name: str, path: Path) -> None:
        raise NotImplementedError

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        raise NotImplementedError

    def delete(self, names: Sequence[str]) -> None:
        raise NotImplementedError


@dataclass
class Machine:
    """One disk with its own source, on which run after run adds a page and publishes."""

    world: World
    number: int
    contents: dict[str, frozenset[str]]  # of every machine: generation -> pages
    generations: list[str] = field(default_factory=list)  # the live one first
    base: str = ""
    published: set[str] = field(default_factory=set)  # pages of runs that ended well
    errors: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        chance = self.world.chance
        self.offset_s = chance.choice((0.0, 0.0, chance.uniform(-600, 600)))
        self.rate = chance.choice((1.0, 0.7, 1.3))

    def runs(self, count: int) -> None:
        """Run after run; one that dies leaves the disk as it is."""
        for number in range(count):
            with suppress(Dead):
                self._run(f"{self.number}-{number}")

    def _run(self, page: str) -> None:
        chance, requests = self.world.chance, Requests(self.world)
        lease = ScopeLease(
            requests,
            SCOPE,
            Writer(host=f"host-{self.number}", pid=len(self.errors), run=page, disk=f"disk-{self.number}"),
            clock=self._clock,
            monotonic=lambda: self.world.now_s * self.rate,
            sleep=lambda _: self.world.pause(),
            token=page,
        )
        try:
            lease.acquire(chance.choice((0.0, 100.0)))
        except (ScopeLocked, ArtifactsUnavailable, ConfigError) as error:
            self.errors.append(error)
            return
        try:
            self._publish(lease, page, adopts=chance.random() < 0.3)
        except (PublishedElsewhere, LeaseLost, ArtifactsUnavailable) as error:
            self.errors.append(error)
        lease.release()

    def _publish(self, lease: ScopeLease, page: str, *, adopts: bool) -> None:
        pointer = lease.pointer
        if not is_built_on(pointer, self.base, tuple(self.generations)):
            if self.generations and not adopts:
                raise lease.elsewhere()
            self.generations = [pointer.generation]
        self.base = pointer.description or self.base
        live = self.generations[0] if self.generations else ""
        pages = self.contents[live] | {page} if live else frozenset({page})
        if self.world.chance.random() < 0.5:
            lease.renew()
        lease.check()
        number = len(self.contents) + 1
        name, description = f"20261126T{number:06}Z-{number:06x}", f"{number:064x}"
        self.contents[name] = pages
        self.generations = [name, *self.generations][:2]
        lease.publish(name, description, "")
        self.base = description
        self.published.add(page)

    def _clock(self) -> datetime:
        return _BEGIN + timedelta(seconds=self.world.now_s * self.rate + self.offset_s)


def pointers(world: World) -> list[Pointer]:
    """Every state of the pointer, the oldest first."""
    return [Pointer.model_validate_json(data) for data in world.bucket.history]
