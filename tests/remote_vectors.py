"""Vectors on another machine that can be away, slow, emptied or filled by somebody else."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_store.vectors import MemoryVectors, MemoryVectorSnapshot
from search_site import DOCS, PROJECT, Site

from searchsocket.errors import VectorBackendUnavailable
from searchsocket.stores.base.vectors import NOT_KEPT, VectorLimits, Written, whenever
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import MATCH_ALL, Filter, Generation, Hit, Vector, Vectors


@dataclass
class Machine:
    """State of the remote machine, and the number of its calls."""

    calls: int = 0
    is_away: bool = False
    stuck: threading.Event | None = None  # calls wait for it
    change: Callable[[list[Hit]], list[Hit]] = field(default=lambda hits: hits)

    def count_call(self) -> None:
        self.calls += 1
        if self.stuck:
            self.stuck.wait()
        if self.is_away:
            raise VectorBackendUnavailable("10.0.0.9: connection refused")


class RemoteVectors(MemoryVectors):
    def __init__(self, machine: Machine) -> None:
        super().__init__(project_id=PROJECT)
        self.machine = machine

    def open(self, generation: Generation, written: Written = whenever) -> "RemoteSnapshot":
        inner = super().open(generation, written)
        return RemoteSnapshot(inner._kept, inner._generation, written, self.machine)


class RemoteSnapshot(MemoryVectorSnapshot):
    limits = VectorLimits(is_remote=True)

    def __init__(self, stored_rows: Sequence, generation: str, written: Written, machine: Machine) -> None:  # type: ignore[type-arg]
        super().__init__(stored_rows, generation, written)
        self.machine = machine

    def nearest(self, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        self.machine.count_call()
        hits = self.machine.change(super().nearest(vector, top_k=top_k, where=where))
        since = self._written([hit.id for hit in hits])
        return [hit for hit, number in zip(hits, since, strict=True) if number != NOT_KEPT]

    def similarities(self, vector: Vector, ids: Sequence[str]) -> list[float]:
        self.machine.count_call()
        return super().similarities(vector, ids)

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        self.machine.count_call()
        return super().vectors_of(ids)


def remote_site(root: Path, machine: Machine) -> Site:
    """The usual documents, with their vectors on the machine."""
    site = Site(LocalStore(root, PROJECT, vectors=RemoteVectors(machine)))
    site.publish(DOCS)
    machine.calls = 0
    return site
