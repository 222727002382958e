"""One writer per scope: decide who may publish, from the pointer as it is stored, its age and the writer.

Pure: `scope_lease.py` reads and writes. Each change is a conditional write of the whole pointer, so a writer that was
overtaken, however late it wakes up, cannot publish: time decides only how soon somebody else may try.
"""

from datetime import datetime, timedelta
from enum import Enum

from searchsocket.extensions.fleet.documents import Lease, Pointer, Writer

DURATION_S = 60.0  # without a renewal
RENEWAL_S = DURATION_S / 3


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
