"""The speed of a query: `python -m bench.serving --pages 1000 11000`, or `--site BUILD`.

Indexes a generated site (about nine chunks per page), or a given one, then measures, in one run:

- the parts in process: vector search and its memory floor (one pass over the same float32 bytes), keyword search of
  chunks and of pages, and the whole engine;
- the same queries end to end over HTTP, one worker, 1 and 32 clients, and 1 client while a new generation is published;
- with `--before COMMAND` an older version over the same site, each query sent to both, one after the other;
- the floor of those: an endpoint of the same server and framework that does nothing, called without a pause and, as an
  idle processor falls asleep, once in 5 ms;
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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.indexing.generate import write_site
from bench.serving.queries import QUERIES, of_generated, of_site

COMMAND = str(Path(sys.executable).with_name("searchsocket"))
PORT, OLDER_PORT, NOTHING_PORT = 8765, 8766, 8764


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.serving", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", nargs="*", type=int, default=[])
    parser.add_argument("--site", type=Path, metavar="BUILD", help="a built site, instead of generated ones")
    parser.add_argument("--before", default="", metavar="COMMAND", help="command of an older version to compare with")
    parser.add_argument("--keep", type=Path, help="folder for the sites and their state; stays after the run")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    try:
        if arguments.site:
            root = folder / "site"
            if not root.exists():
                shutil.copytree(arguments.site, root / "build")
            bench(root, None, arguments.before)
        for pages in arguments.pages or ([] if arguments.site else [1_000]):
            root = folder / str(pages)
            if not (root / "build").exists():
                write_site(root / "build", pages)
            bench(root, of_generated(), arguments.before)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)


def bench(root: Path, queries: Sequence[str] | None, before: str) -> None:
    """Index if needed, then measure the parts and the service; without queries, those of the site."""
    index(root)
    queries = queries or of_site(root / ".searchsocket" / "pages" / "main")
    parts(root, queries)
    service(root, queries)
    if before:
        beside(root, before, queries)


def index(root: Path, command: str = COMMAND) -> None:
    subprocess.run([command, "index"], cwd=root, check=True, stdout=subprocess.DEVNULL)


def parts(root: Path, queries: Sequence[str]) -> None:
    """Time the parts of a query in this process."""
    from searchsocket.models.embedders import make_embedder
    from searchsocket.models.embedders.queries import QueryVectors
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


def service(root: Path, queries: Sequence[str]) -> None:
    """Time the same queries over HTTP against one worker."""
    print("\n| HTTP end to end | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|")
    floor()
    with serving(root, COMMAND, PORT):
        show("1 client", clients(1, queries))
        show("32 clients", clients(32, queries))
        page = next(path for path in sorted((root / "build").rglob("*.html")) if b"<p>" in path.read_bytes())
        text = page.read_bytes()
        page.write_bytes(text.replace(b"<p>", b"<p>Another sentence. ", 1))
        publishing = threading.Thread(target=index, args=(root,))
        publishing.start()
        times: list[float] = []
        while publishing.is_alive():
            times += clients(1, queries[:50])
        show("1 client while a generation is published", times)
        page.write_bytes(text)


def beside(root: Path, before: str, queries: Sequence[str]) -> None:
    """Send each query once to this version and once to an older one."""
    older = root.with_name(f"{root.name}-before")
    if not older.exists():
        shutil.copytree(root / "build", older / "build")
    index(root)
    index(older, before)
    with serving(root, COMMAND, PORT), serving(older, before, OLDER_PORT):
        connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for port in (PORT, OLDER_PORT)]
        times = [[ask(connection, query) for connection in connections] for query in queries]
    print("\n| HTTP, 1 client, in turn | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|")
    for name, of_version in zip(("now", "before"), zip(*times, strict=True), strict=True):
        show(name, of_version)


@contextmanager
def serving(root: Path, command: str, port: int) -> Iterator[None]:
    """The service of a project, without a limit on what one client asks."""
    environ = os.environ | {"SEARCHSOCKET__API__RATE_LIMIT__MAX": "0"}
    nothing = subprocess.DEVNULL
    # In a folder of its own: an older version would find the modules of this one in ours.
    served = [command, "serve", "--port", str(port)]
    server = subprocess.Popen(served, cwd=root, env=environ, stderr=nothing, stdout=nothing)
    try:
        wait_until_ready(port)
        yield
    finally:
        server.terminate()
        server.wait()


def floor() -> None:
    """Time an endpoint that does nothing."""
    server = subprocess.Popen([sys.executable, "-m", "bench.serving.nothing", str(NOTHING_PORT)])
    try:
        wait_until_ready(NOTHING_PORT)
        connection = http.client.HTTPConnection("127.0.0.1", NOTHING_PORT, timeout=60)
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
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        return [ask(connection, query) for query in queries]

    with ThreadPoolExecutor(count) as threads:
        return [time_ms for times in threads.map(client, range(count)) for time_ms in times]


def ask(connection: http.client.HTTPConnection, query: str) -> float:
    """Milliseconds until a query is answered whole."""
    started = time.perf_counter()
    connection.request("POST", "/api/search", json.dumps({"q": query}), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    return (time.perf_counter() - started) * 1000


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


if __name__ == "__main__":
    main()
