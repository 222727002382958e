"""The answers of a reader while publishers to a remote store are killed."""

import multiprocessing
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.remote.engines import Engine
from searchsocket.errors import ScopeNotIndexed, SearchSocketError
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import make_record
from searchsocket.types import Scope, Vector

MAIN = Scope("bench", "main")
INFO = PublishInfo("hash-16", 16, "2026-01-02T03:04:05Z")
RECORDS, EDITED = 40, 6
_FORKS = multiprocessing.get_context("forkserver")


@dataclass(slots=True)
class Ledger:
    """The events, and the answers of the reader meanwhile."""

    publishes: int = 0
    fell: Counter[str] = field(default_factory=Counter)  # the call before which a run was killed
    ended_first: int = 0
    answers: int = 0
    generations: set[str] = field(default_factory=set)  # that were answered from
    problems: list[str] = field(default_factory=list)


def vector_of(number: int, edition: int) -> Vector:
    """Another one for each edition of a record."""
    wide = np.random.default_rng([number, edition]).standard_normal(INFO.dimensions)
    return (wide / np.linalg.norm(wide)).astype(np.float32)


ASKED = vector_of(0, 0)


def publish(engine: Engine, folder: Path, editions: Sequence[int]) -> None:
    """Bring about that each record is of its edition; below 0 = it is not there."""
    store = LocalStore(folder, MAIN.project_id, vectors=engine.vectors(MAIN.project_id))
    store.discard(MAIN)
    there = [(number, edition) for number, edition in enumerate(editions) if edition > 0]
    where = {"project_id": MAIN.project_id, "scope": MAIN.name, "model_id": INFO.model_id}
    records = [
        make_record(f"r{number}", f"edition {edition}", url=f"/p/{number}", **where) for number, edition in there
    ]
    store.upsert(records, np.stack([vector_of(*each) for each in there]), MAIN)
    store.delete_by_ids([f"r{number}" for number, edition in enumerate(editions) if edition < 0], MAIN)
    store.publish(MAIN, INFO)


def dies(engine: Engine, folder: Path, editions: Sequence[int], last: int, part_s: float, channel: Any) -> None:
    """Publish, and die before or during call number `last`, after its name is sent."""
    calls = 0

    def before(verb: str) -> None:
        nonlocal calls
        calls += 1
        if calls == last:
            channel.send(verb)
            if part_s:
                threading.Timer(part_s, os.kill, [os.getpid(), signal.SIGKILL]).start()
            else:
                os.kill(os.getpid(), signal.SIGKILL)

    publish(replace(engine, before=before), folder, editions)


def problems_of(reader: IndexReader) -> list[str]:
    """In what an answer is not that of one generation, whole."""
    name = reader.generation.name
    hits = {hit.id: hit.score for hit in reader.vectors.nearest(ASKED, top_k=10 * RECORDS)}
    if len(hits) != reader.generation.records:
        return [f"{name}: {len(hits)} rows instead of {reader.generation.records}"]
    problems = []
    for record in reader.catalogue.records(sorted(hits)):
        expected = vector_of(int(record.id[1:]), int(record.chunk.body.text.split()[-1])) @ ASKED
        if abs(hits[record.id] - expected) > 1e-4:
            problems.append(f"{name}: the row of {record.id} is of another generation")
    return problems


def read(engine: Engine, folder: Path, ledger: Ledger, stop: threading.Event) -> None:
    """Ask without a pause, as a service does: of the live generation, whichever that is."""
    store = LocalStore(folder, MAIN.project_id, vectors=engine.vectors(MAIN.project_id))
    while not stop.is_set():
        try:
            reader = store.reader(MAIN)
            ledger.problems += problems_of(reader)
        except ScopeNotIndexed:
            time.sleep(0.01)
            continue
        except SearchSocketError as error:
            ledger.problems.append(f"{error.code}: {error}")
            continue
        ledger.answers += 1
        ledger.generations.add(reader.generation.name)


def kill_many(engine: Engine, folder: Path, publishes: int, seed: int) -> Ledger:
    """Publish so often; before each, one run is killed at a moment that is drawn."""
    _FORKS.set_forkserver_preload(["bench.remote.kills", *engine.preload])
    ledger, source, stop = Ledger(), random.Random(seed), threading.Event()
    editions = [1] * RECORDS
    reading = threading.Thread(target=read, args=(engine, folder, ledger, stop))
    reading.start()
    calls = 30
    try:
        for number in range(publishes):
            for at in source.sample(range(RECORDS), EDITED):
                editions[at] = abs(editions[at]) + 1 if source.random() < 0.8 else -abs(editions[at])
            if number:
                ours, theirs = _FORKS.Pipe()
                part_s = source.choice([0.0, source.random() * 0.05])
                _in_process(dies, engine, folder, editions, source.randint(1, calls), part_s, theirs)
                if ours.poll():
                    ledger.fell[ours.recv()] += 1
                else:
                    ledger.ended_first += 1
            if _in_process(publish, engine, folder, editions):
                ledger.problems.append(f"publish {number} did not complete")
            ledger.publishes += 1
    finally:
        stop.set()
        reading.join()
    return ledger


def _in_process(work: Callable[..., None], *arguments: object) -> int:
    """Its exit code."""
    process = _FORKS.Process(target=work, args=arguments)
    process.start()
    process.join()
    return process.exitcode or 0
