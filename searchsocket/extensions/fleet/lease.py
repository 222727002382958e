"""The lease of one scope in an object store: one writer decides, publishes, and gives it back.

Functions decide who may publish, from the pointer as it is stored, its age and the writer; `ScopeLease` reads and
writes. Each change is a conditional write of the whole pointer, so a writer that was overtaken, however late it wakes
up, cannot publish: time decides only how soon somebody else may try.
"""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from enum import Enum

from searchsocket.errors import (
    ArtifactInvalid,
    ArtifactsUnavailable,
    ConfigError,
    LeaseLost,
    PublishedElsewhere,
    ScopeLocked,
    SearchSocketError,
)
from searchsocket.extensions.fleet.documents import MAX_BYTES, Lease, Pointer, Writer, parse_document, pointer_name
from searchsocket.extensions.fleet.objects.base import ObjectChanged, ObjectMissing, Objects, read_version
from searchsocket.types import Scope

DURATION_S = 60.0  # without a renewal
RENEWAL_S = DURATION_S / 3

_PAUSE_S = 2.0  # between two reads of the lease of another run
_TRIES = 20  # of one write, while own earlier writes arrive late
# The holder of a lease in a damaged pointer.
_UNKNOWN, _NEVER = Writer(host="an unknown machine", pid=0, run="", disk=""), datetime(9999, 1, 1, tzinfo=UTC)


class Action(Enum):
    """The next step of a writer that wants the lease."""

    TAKE = "take"  # nobody has it, or its holder is dead
    CONTINUE = "continue"  # the writer has it already; only the answer was lost
    WAIT = "wait"  # its holder may be alive


def next_action(lease: Lease | None, writer: Writer, token: str, age_s: float = 0.0) -> Action:
    """Decide the next step of a writer.

    Args:
        lease: As stored.
        token: Identifies the writer's acquisition.
        age_s: Time since the pointer was written, by the clock of the object store: clocks of writers may be wrong.
    """
    if lease is None:
        return Action.TAKE
    if lease.token == token:
        return Action.CONTINUE
    # A state folder has one run at a time, by its own lock: the holder on this disk is dead.
    is_dead = lease.writer.disk == writer.disk
    return Action.TAKE if is_dead or age_s >= DURATION_S else Action.WAIT


def with_lease(pointer: Pointer, writer: Writer, token: str, now: datetime) -> Pointer:
    """The pointer with a new lease and the next fencing number."""
    fence = pointer.fence + 1
    lease = Lease(fence=fence, token=token, writer=writer, expires_at=now + timedelta(seconds=DURATION_S))
    return pointer.model_copy(update={"fence": fence, "lease": lease})


def with_renewal(pointer: Pointer, now: datetime) -> Pointer:
    """The pointer with its lease extended."""
    assert pointer.lease
    lease = pointer.lease.model_copy(update={"expires_at": now + timedelta(seconds=DURATION_S)})
    return pointer.model_copy(update={"lease": lease})


def without_lease(pointer: Pointer) -> Pointer:
    """The pointer without a lease; its fencing number stays used."""
    return pointer.model_copy(update={"lease": None})


def with_generation(pointer: Pointer, generation: str, description: str, revision: str, now: datetime) -> Pointer:
    """The pointer with another live generation, published by the holder of its lease."""
    assert pointer.lease
    return pointer.model_copy(
        update={
            "generation": generation,
            "description": description,
            "revision": revision[:200],
            "published_by": pointer.lease.writer,
            "published_at": now,
        }
    )


def is_holder(pointer: Pointer, token: str) -> bool:
    """Return True if the stored lease has this token."""
    return pointer.lease is not None and pointer.lease.token == token


def is_built_on(pointer: Pointer, base: str, generations: tuple[str, ...]) -> bool:
    """Return True if a local index is, or continues, the published generation.

    Args:
        base: Description of the last generation that the index and the object store had in common; "" = unknown.
        generations: The live generation of the index, then the previous one.
    """
    if not pointer.generation or pointer.generation in generations[:1]:
        return True
    return base == pointer.description if base else pointer.generation in generations


class ScopeLease:
    """The lease of one scope, from the side of one writer; safe to share between threads."""

    def __init__(
        self,
        objects: Objects,
        scope: Scope,
        writer: Writer,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        token: str = "",
    ) -> None:
        """Reads nothing yet.

        Args:
            clock: UTC.
            token: Identifies this acquisition; default: random.
        """
        self.objects = objects
        self._scope = scope
        self._writer = writer
        self._clock = clock
        self._monotonic = monotonic
        self._sleep = sleep
        self._token = token or secrets.token_hex(8)
        self._name = pointer_name(scope.name)
        self._guard = threading.RLock()
        self._nothing = Pointer(project_id=scope.project_id, scope=scope.name)
        self._version: str | None = None
        # Description of the generation that was live when the lease was acquired, or that was published under it.
        self._base = ""
        self._error: SearchSocketError | None = None  # that ended the holding
        self.pointer = self._nothing  # as this writer knows it

    def acquire(self, timeout_s: float = 0.0, on_wait: Callable[[str], None] = lambda holder: None) -> None:
        """Take the lease.

        Args:
            timeout_s: How long to wait for another holder; 0 = not at all.
            on_wait: Called before the wait, with the holder.

        Raises:
            ScopeLocked: Another run has the lease.
            ArtifactsUnavailable: The object store cannot be reached or written.
            ConfigError: The object store ignores the conditions of writes, so two writers could overwrite each other.
            ProjectMismatch: The object store belongs to another project.
            NewerRelease: A newer release wrote the pointer.
        """
        began = self._monotonic()
        has_reported = False
        while not self._try():
            lease = self.pointer.lease
            if lease is None:
                continue  # another writer was faster, and has released it
            remaining_s = timeout_s - (self._monotonic() - began)
            if remaining_s <= 0:
                raise ScopeLocked(self._scope.name, _holder(lease))
            if not has_reported:
                on_wait(_holder(lease))
                has_reported = True
            self._sleep(min(_PAUSE_S, remaining_s))
        self._base = self.pointer.description

    def renew(self) -> None:
        """Extend the lease; raises as `check`."""
        self._change(lambda pointer: with_renewal(pointer, self._clock()))

    def check(self) -> None:
        """Raise if this writer no longer has the lease; for a last check before an unconditional switch.

        Raises:
            PublishedElsewhere: Another writer took it over, and published.
            LeaseLost: Another writer took it over.
            ArtifactsUnavailable: The object store cannot be reached.
        """
        with self._guard:
            if self._error:
                raise self._error
            if self.objects.version(self._name) != self._version:
                self._confirm()

    def publish(self, generation: str, description: str, revision: str) -> None:
        """Make a generation live for all readers, if this writer still has the lease; raises as `check`.

        Args:
            description: sha256 of its description.
            revision: The commit that was indexed; "" = unknown.
        """
        self._change(lambda pointer: with_generation(pointer, generation, description, revision, self._clock()))
        self._base = description

    def release(self) -> None:
        """Release the lease for the next writer; if that fails, the lease expires later."""
        with suppress(ArtifactsUnavailable, LeaseLost, PublishedElsewhere):
            self._change(without_lease)

    def elsewhere(self) -> PublishedElsewhere:
        """The error of a writer whose index is not built on the published generation."""
        live = self.pointer
        at = live.published_at.isoformat(timespec="seconds") if live.published_at else "an unknown time"
        return PublishedElsewhere(live.scope, live.generation, str(live.published_by or "another machine"), at)

    def _try(self) -> bool:
        """Look at the lease, and take it if that is allowed."""
        with self._guard:
            pointer, version = self._read()
            action = next_action(pointer.lease, self._writer, self._token)
            if action is Action.WAIT:
                with suppress(ObjectMissing):
                    age_s = self.objects.age_s(self._name)
                    action = next_action(pointer.lease, self._writer, self._token, age_s)
            if action is Action.TAKE:
                if not self._swap(with_lease(pointer, self._writer, self._token, self._clock()), version):
                    self.pointer = self._read()[0]
                    return False
                self._refuse_without_conditions(version)
                return True
            self.pointer, self._version = pointer, version
            return action is Action.CONTINUE

    def _change(self, change: Callable[[Pointer], Pointer]) -> None:
        with self._guard:
            for _ in range(_TRIES):
                if self._error:
                    raise self._error
                if self._swap(change(self.pointer), self._version):
                    return
                self._confirm()
        raise ArtifactsUnavailable(f"{self.objects.address}: {self._name} changed during every attempt to write it")

    def _swap(self, pointer: Pointer, version: str | None) -> bool:
        """Write the pointer; False if it had changed."""
        try:
            self._version = self.objects.put_if(self._name, pointer.to_bytes(), version)
        except ArtifactsUnavailable as error:
            stored, stored_version = self._read()
            if stored == pointer:  # only the answer was lost
                self._version = stored_version
            elif isinstance(error, ObjectChanged) or stored_version != version:
                return False
            else:
                raise
        self.pointer = pointer
        return True

    def _confirm(self) -> None:
        """Take over what an own write, whose answer was lost, has changed; anything else ends the holding."""
        self.pointer, self._version = self._read()
        if is_holder(self.pointer, self._token):
            return
        lease = self.pointer.lease
        is_replaced = self.pointer.description != self._base and self.pointer.published_by
        lost = LeaseLost(self._scope.name, _holder(lease) if lease else "another process")
        self._error = self.elsewhere() if is_replaced else lost
        raise self._error

    def _read(self) -> tuple[Pointer, str | None]:
        data, version = read_version(self.objects, self._name, MAX_BYTES)
        if version is None:
            return self._nothing, None
        where = f"{self.objects.address}: {self._name}"
        with suppress(ArtifactInvalid):
            pointer = parse_document(data, Pointer, where, self._scope.project_id)
            if pointer.scope == self._scope.name:
                return pointer, version
        # It may have a live lease, so it is written again only once it is older than a lease.
        token = hashlib.sha256(version.encode()).hexdigest()
        lease = Lease(fence=1, token=token, writer=_UNKNOWN, expires_at=_NEVER)
        return self._nothing.model_copy(update={"fence": 1, "lease": lease}), version

    def _refuse_without_conditions(self, stale: str | None) -> None:
        """Repeat the last write under a condition that is wrong by now."""
        try:
            self.objects.put_if(self._name, self.pointer.to_bytes(), stale)
        except ObjectChanged:
            return
        raise ConfigError(
            f"{self.objects.address} ignores the conditions of writes (If-Match, If-None-Match), so two machines "
            "could overwrite each other's index; use an object store that supports them"
        )


@contextmanager
def holding(lease: ScopeLease, timeout_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Hold a lease, and renew it in a thread; raises as `ScopeLease.acquire`."""
    lease.acquire(timeout_s, on_wait)
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(RENEWAL_S):
            try:
                lease.renew()
            except ArtifactsUnavailable:
                continue
            except SearchSocketError:  # it is lost, which the next check reports
                return

    thread = threading.Thread(target=renew, name="searchsocket-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        lease.release()


def _holder(lease: Lease) -> str:
    if lease.writer == _UNKNOWN:
        return "an unknown writer, since the pointer is damaged"
    return f"{lease.writer}, whose lease ends at {lease.expires_at.isoformat(timespec='seconds')}"
