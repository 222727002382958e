"""The time that a visitor waits while attackers use their full limit: `python -m bench.starvation SITE_BUILD`.

Indexes a folder of built HTML (by default a generated site), serves it with its usual rate limit, and measures the
plain queries of another visitor: alone, and with three attackers, each at its own address and at its rate limit (2 per
second). `--python` measures the checkout of another interpreter in the same run, in turn.
"""

import argparse
import http.client
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from bench.indexing.generate import vocabulary, write_site
from bench.serving.queries import of_generated

ATTACKERS, A_SECOND = 3, 2.0
VISITS_A_SECOND = 4.0
PROXY = "127.0.0.1/32"
# Serves one project as `searchsocket serve` does, in whatever version the interpreter holds.
SERVE = """
import sys
from pathlib import Path
from search_api.run.server import serve
from searchsocket.project.project import open_project
serve(open_project(Path(sys.argv[1]), {}), host="127.0.0.1", port=0, environ={},
      on_start=lambda url: print(url.rpartition(":")[2], flush=True))
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.starvation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", nargs="?", type=Path, help="folder of built HTML; default: a generated site")
    parser.add_argument(
        "--python", nargs="*", type=Path, default=[], help="interpreters of other checkouts, measured first"
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20.0, help="duration of each measurement")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    try:
        queries = prepare(folder, arguments.build)
        print("| version | attack | visitor p50 ms | p95 ms | p95 to quiet | attackers' answers |")
        print("|---|---|---|---|---|---|")
        for _ in range(arguments.rounds):
            for python in (*arguments.python, Path(sys.executable)):
                measure(python, folder, queries, arguments.seconds)
    finally:
        shutil.rmtree(folder)


def prepare(root: Path, build: Path | None) -> list[str]:
    """A project with an index; plain queries to it."""
    (root / "searchsocket.toml").write_text(
        f'[project]\nid = "bench"\n[source]\nstatic_output_dir = "build"\n[api]\ntrusted_proxies = ["{PROXY}"]\n'
    )
    if build:
        shutil.copytree(build, root / "build")
    else:
        write_site(root / "build", 700)
    command = str(Path(sys.executable).with_name("searchsocket"))
    subprocess.run([command, "index", "--project", str(root)], check=True, stdout=subprocess.DEVNULL)
    return of_generated() if not build else plain_queries(root / "build")


def plain_queries(build: Path, count: int = 300) -> list[str]:
    """Two to four words of the pages' titles."""
    source = random.Random(1)
    words = sorted({word for path in build.rglob("*.html") for word in path.stem.split("-") if len(word) > 3})
    return [" ".join(source.sample(words, 2 + n % 3)) for n in range(count)]


def attacks() -> dict[str, list[str]]:
    """Expensive requests, each sent once."""
    source = random.Random(2)
    letters = "eeeettttaaaooiinnsshrrdl"
    common = [*sorted(vocabulary(1), key=len)[:60], "the", "table", "value", "name", "type", "with", "from", "index"]

    def made_up(chars: int) -> str:
        return source.choice("scpard") + "".join(source.choice(letters) for _ in range(chars - 1))

    def search(words: Sequence[str], more: str = "") -> str:
        return f"/api/search?q={quote(' '.join(words))}{more}"

    each = range(400)
    return {
        "32 made-up words": [search([made_up(8) for _ in range(32)]) for _ in each],
        "100 results of 32 words": [search(source.sample(common, 32), "&topK=100&explain=true") for _ in each],
        "a page of 150 words": ["/api/pages/" + "-".join(made_up(8) for _ in range(150)) for _ in each],
    }


def measure(python: Path, root: Path, queries: Sequence[str], seconds: float) -> None:
    """One server: the visitor alone, then beside each attack."""
    with served(python, root) as port:
        visit(port, queries, 5.0)
        quiet = visit(port, queries, seconds)
        show(str(python), "none", quiet, quiet, Counter())
        for name, requests in attacks().items():
            stop, answers = threading.Event(), Counter[int]()
            threads = [
                threading.Thread(target=attack, args=(port, f"198.51.100.{n}", requests[n::ATTACKERS], stop, answers))
                for n in range(ATTACKERS)
            ]
            for thread in threads:
                thread.start()
            times = visit(port, queries, seconds)
            stop.set()
            for thread in threads:
                thread.join()
            show(str(python), name, times, quiet, answers)


def attack(port: int, address: str, paths: Sequence[str], stop: threading.Event, answers: Counter[int]) -> None:
    """Ask as often as the rate limit lets one address, but never again before the last answer."""
    began = time.monotonic()
    for number, path in enumerate(paths):
        if stop.wait(max(0.0, began + number / A_SECOND - time.monotonic())):
            return
        answers[get(port, path, address)] += 1


def visit(port: int, queries: Sequence[str], seconds: float) -> list[float]:
    """Milliseconds of a visitor's queries, four a second, or as many as are answered."""
    times, began = list[float](), time.monotonic()
    while time.monotonic() < began + seconds:
        number = len(times)
        time.sleep(max(0.0, began + number / VISITS_A_SECOND - time.monotonic()))
        started = time.perf_counter()
        address = f"203.0.113.{number % 200}"  # visitors by the dozen, so that none meets the rate limit
        assert get(port, f"/api/search?q={quote(queries[number % len(queries)])}", address) == 200
        times.append((time.perf_counter() - started) * 1000)
    return times


def get(port: int, path: str, address: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("GET", path, headers={"Host": "localhost", "X-Forwarded-For": address})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


@contextmanager
def served(python: Path, root: Path) -> Iterator[int]:
    process = subprocess.Popen(
        [str(python), "-c", SERVE, str(root)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=root
    )
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def show(version: str, name: str, times: Sequence[float], quiet: Sequence[float], answers: Counter[int]) -> None:
    p50, p95 = (statistics.quantiles(times, n=20)[place] for place in (9, 18))
    ratio = p95 / statistics.quantiles(quiet, n=20)[18]
    sentence = ", ".join(f"{count} x {status}" for status, count in sorted(answers.items()))
    print(f"| {version} | {name} | {p50:.1f} | {p95:.1f} | {ratio:.1f} | {sentence} |", flush=True)


if __name__ == "__main__":
    main()
