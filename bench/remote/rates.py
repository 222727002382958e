"""Rates of each store and of the local one: records per second, queries per second, memory, and writes."""

import multiprocessing
import re
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from bench.remote.engines import Engine
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import make_record
from searchsocket.types import MATCH_ALL, Filter, Scope
from tests.processes import command
from tests.small_site import write_page, write_site

DIMENSIONS, TOP_K = 256, 50
MAIN = Scope("bench", "main")
INFO = PublishInfo(f"hash-{DIMENSIONS}", DIMENSIONS, "2026-01-02T03:04:05Z")
TENTH = Filter(tags=("tenth",))


@dataclass(frozen=True, slots=True)
class Rates:
    """Of one store, in a process of its own."""

    records_s: float  # from the first upsert until the generation is live
    queries_s: float  # one after the other, of all records
    tenth_s: float  # of the tenth of them that has a tag
    mb: float  # the most that the process held


def rates(engine: Engine | None, count: int, queries: int) -> Rates:
    """Args: engine: None = vectors in the folder."""
    ours, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_measure, args=(engine, count, queries, theirs))
    process.start()
    try:
        measured: Rates = ours.recv()
    finally:
        process.join()
    return measured


def _measure(engine: Engine | None, count: int, queries: int, channel: Any) -> None:
    source = np.random.default_rng(7)
    wide = source.standard_normal((count + queries, DIMENSIONS))
    unit = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    where = {"project_id": MAIN.project_id, "scope": MAIN.name, "model_id": INFO.model_id}
    records = [
        make_record(f"r{n}", f"record {n}", url=f"/p/{n}", tags=("tenth",) if n % 10 == 0 else (), **where)
        for n in range(count)
    ]
    with tempfile.TemporaryDirectory(prefix="searchsocket-remote-") as folder:
        vectors = engine.vectors(MAIN.project_id) if engine else None
        store = LocalStore(Path(folder), MAIN.project_id, vectors=vectors)
        began = time.perf_counter()
        store.upsert(records, unit[:count], MAIN)
        store.publish(MAIN, INFO)
        written_s = time.perf_counter() - began
        reader = store.reader(MAIN)
        took = []
        for narrower in (MATCH_ALL, TENTH):
            reader.vectors.nearest(unit[0], top_k=TOP_K, where=narrower)
            began = time.perf_counter()
            for query in unit[count:]:
                assert len(reader.vectors.nearest(query, top_k=TOP_K, where=narrower)) == TOP_K
            took.append(time.perf_counter() - began)
        if vectors:
            vectors.drop()  # type: ignore[attr-defined]
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    channel.send(Rates(count / written_s, queries / took[0], queries / took[1], mb))


RUNS = ("cold", "no change", "one page edited", "another scope")
Counters = Callable[[], Mapping[str, int]]


def writes(folder: Path, environ: Mapping[str, str], counters: Counters) -> list[tuple[int, Counter[str]]]:
    """Records that each of `RUNS` reports as written, and the increase of the counters of the server."""
    site = write_site(folder / "site")
    environ = {"SEARCHSOCKET_CACHE": str(folder / "cache"), **environ}
    steps = []
    for run in RUNS:
        if run == "one page edited":
            write_page(site, "docs/ropes", "Ropes", "A clove hitch holds a fender to the rail.")
        before = Counter(counters())
        summary = command(site, "index", *(["--scope", "preview"] if run == "another scope" else []), **environ)
        steps.append((int(summary["records"]["upserted"]), Counter(counters()) - before))
    command(site, "clean", "--all", "--remote", "--confirm", "harbour", **environ)
    return steps


def milvus_counters(address: str) -> dict[str, int]:
    """Requests by kind, and upserted rows, from the Prometheus metrics of the server."""
    text = httpx.get(address, timeout=30, trust_env=False).raise_for_status().text
    requests = re.findall(r'^milvus_proxy_req_count\{function_name="(\w+)".*status="success"\} (\S+)', text, re.M)
    upserted = re.findall(r"^milvus_proxy_upsert_vectors_count\S* (\S+)", text, re.M)
    return {name.lower(): int(float(value)) for name, value in requests} | {
        "rows upsert": int(sum(map(float, upserted)))
    }


def pinecone_counters(service: Any) -> dict[str, int]:
    """Requests by verb, and rows that were written by them."""
    return dict(service.requests) | {f"rows {verb}": rows for verb, rows in service.rows.items()}
