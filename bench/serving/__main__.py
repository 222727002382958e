"""How fast a query is answered: `python -m bench.serving --pages 1000 11000`.

Indexes a generated site (about nine chunks a page), then measures, in one run:

- the parts in process: vector search beside its memory floor (one pass over the same float32 bytes), keyword search
  of chunks and of pages, and the whole engine;
- the same queries end to end over HTTP, one worker, 1 and 32 clients, and 1 client while a new generation is published;
- the floor of those: an endpoint of the same server and framework that does nothing, asked at once again and, as a
  processor that waits for an answer falls asleep, once in 5 ms;
- the pace of the machine in that minute, by a fixed piece of Python.
"""

import argparse
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.indexing.generate import page_file, vocabulary, write_site

QUERIES = 300


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.serving", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", nargs="*", type=int, default=[1_000])
    parser.add_argument("--keep", type=Path, help="folder for the sites and their state, kept afterwards")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    try:
        for pages in arguments.pages:
            bench(folder / str(pages), pages)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)


def bench(root: Path, pages: int) -> None:
    """Index if needed, then measure the parts and the service."""
    if not (root / "build").exists():
        write_site(root / "build", pages)
    index(root)
    queries = make_queries()
    parts(root, queries)
    service(root, pages, queries)


def index(root: Path) -> None:
    subprocess.run([_command(), "index", "--project", str(root)], check=True, stdout=subprocess.DEVNULL)


def make_queries(seed: int = 1) -> list[str]:
    """Two to four words of the generated sites, frequent and rare ones."""
    words = vocabulary(seed)
    source = np.random.default_rng(seed)
    ranks = np.minimum(source.zipf(1.3, size=(QUERIES, 4)), len(words)) - 1
    return [" ".join(words[rank] for rank in row[: 2 + number % 3]) for number, row in enumerate(ranks)]


def parts(root: Path, queries: Sequence[str]) -> None:
    """Time the parts of a query in this process."""
    from searchsocket.embedders import make_embedder
    from searchsocket.embedders.queries import QueryVectors
    from searchsocket.project.project import open_project
    from searchsocket.search.engine import SearchEngine
    from searchsocket.search.query import SearchQuery
    from searchsocket.stores import make_store

    project = open_project(root, os.environ)
    scope = project.scope_named("main")
    store = make_store(project.settings.vector, project.state_dir, project.id)
    embedder = make_embedder(project.settings.embeddings, {})
    reader = store.reader(scope)
    records, dimensions = reader.generation.records, embedder.dimensions
    print(f"\n{records} chunks x {dimensions} dimensions\n\n| part | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|")
    timed("100,000 additions in Python", [lambda: sum(map(int.__add__, range(100_000), range(100_000)))] * 60)
    matrix = np.random.default_rng(1).random((records, dimensions), dtype=np.float32)
    floor = timed("memory floor (one pass)", [lambda: matrix.max()] * 60)
    vectors = [embedder.embed([query], "query")[0] for query in queries]
    timed("embed the query", [lambda q=query: embedder.embed([q], "query") for query in queries])
    vector = timed("vectors, top 50", [lambda v=v: reader.vectors.nearest(v, top_k=50) for v in vectors])
    timed("words, top 50", [lambda q=query: reader.words.search(q, top_k=50) for query in queries])
    timed("pages, top 50", [lambda q=query: reader.words.search_pages(q, top_k=50) for query in queries])
    engine = SearchEngine(store, QueryVectors(lambda _: embedder), project.settings.ranking, lambda: datetime.now(UTC))
    timed("whole engine", [lambda q=query: engine.search(SearchQuery(q), scope) for query in queries])
    print(f"\nvector search takes {vector / floor:.1f} times the memory floor")


def service(root: Path, pages: int, queries: Sequence[str]) -> None:
    """Time the same queries over HTTP against one worker."""
    print("\n| HTTP end to end | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|")
    floor()
    environ = os.environ | {"SEARCHSOCKET__API__RATE_LIMIT__MAX": "0"}
    server = subprocess.Popen(
        [_command(), "serve", "--project", str(root), "--port", "8765"], env=environ, stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until_ready(8765)
        show("1 client", clients(1, queries))
        show("32 clients", clients(32, queries))
        page = root / "build" / page_file(pages // 2)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("<p>", "<p>Another sentence. ", 1), encoding="utf-8")
        publishing = threading.Thread(target=index, args=(root,))
        publishing.start()
        times: list[float] = []
        while publishing.is_alive():
            times += clients(1, queries[:50])
        show("1 client while a generation is published", times)
        page.write_text(text, encoding="utf-8")
    finally:
        server.terminate()
        server.wait()


def floor() -> None:
    """Time an endpoint that does nothing."""
    server = subprocess.Popen([sys.executable, "-m", "bench.serving.nothing", "8764"])
    try:
        wait_until_ready(8764)
        connection = http.client.HTTPConnection("127.0.0.1", 8764, timeout=60)
        for name, pause_s in (("nothing at all, at once again", 0.0), ("nothing at all, once in 5 ms", 0.005)):
            times: list[float] = []
            for _ in range(QUERIES):
                time.sleep(pause_s)
                started = time.perf_counter()
                connection.request("GET", "/api/health")
                connection.getresponse().read()
                times.append((time.perf_counter() - started) * 1000)
            show(name, times)
    finally:
        server.terminate()
        server.wait()


def clients(count: int, queries: Sequence[str]) -> list[float]:
    """Milliseconds of every request of `count` clients, each with a connection that it keeps."""

    def client(_: int) -> list[float]:
        times: list[float] = []
        connection = http.client.HTTPConnection("127.0.0.1", 8765, timeout=60)
        for query in queries:
            started = time.perf_counter()
            connection.request("POST", "/api/search", json.dumps({"q": query}), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, body
            times.append((time.perf_counter() - started) * 1000)
        return times

    with ThreadPoolExecutor(count) as threads:
        return [time_ms for times in threads.map(client, range(count)) for time_ms in times]


def wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/api/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)  # a bench, not a test: nothing is asserted about this wait
    raise TimeoutError("the service did not start")


def timed(name: str, calls: Sequence[Callable[[], object]]) -> float:
    """Run every call once for warmth and once for the clock; print and return the median in milliseconds."""
    for call in calls[:20]:
        call()
    times = []
    for call in calls:
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return show(name, times)


def show(name: str, times: Sequence[float]) -> float:
    cuts = statistics.quantiles(times, n=100)
    print(f"| {name} | {cuts[49]:.2f} | {cuts[94]:.2f} | {cuts[98]:.2f} |", flush=True)
    return cuts[49]


def _command() -> str:
    return str(Path(sys.executable).with_name("searchsocket"))


if __name__ == "__main__":
    main()
