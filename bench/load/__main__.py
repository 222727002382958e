"""Queries while workers are killed and generations are published: `python -m bench.load --minutes 20`.

A generated site of 300 pages under `searchsocket serve --workers 2`. Clients ask one query after another, each over a
connection of its own. Every 20 s a page is edited and the site is indexed; every 30 s a worker is killed with SIGKILL.
A query may fail only while its worker is killed: its connection then ends within a second of the kill. Every other
failure is printed with its time, and the bench ends with status 1.
"""

import argparse
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import quote

from bench.indexing.generate import page_file, vocabulary, write_site

PAGES = 300
WORKERS = 2
TIMEOUT_S = 30.0
PUBLISH_EVERY_S, KILL_EVERY_S = 20.0, 30.0
KILLED_WITHIN_S = 1.0  # between a kill and the end of the connections of that worker
COMMAND = [str(Path(sys.executable).with_name("searchsocket"))]


class Load:
    """What happened so far; shared by all threads."""

    def __init__(self, root: Path, port: int) -> None:
        self.root = root
        self.port = port
        self.stop = threading.Event()
        self.seconds: list[float] = []
        self.failures: list[tuple[float, float, str]] = []  # begun, ended, how
        self.kills: list[float] = []
        self.publishes: Counter[int] = Counter()  # exit status of `searchsocket index`

    def ask(self, seed: int) -> None:
        words, source = vocabulary(1), random.Random(seed)
        while not self.stop.is_set():
            query = " ".join(source.choices(words, k=source.randint(1, 4)))
            began = time.monotonic()
            try:
                connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
                connection.request("GET", f"/api/search?q={quote(query)}")
                answer = connection.getresponse()
                answer.read()
                connection.close()
            except (OSError, HTTPException) as error:
                self.failures.append((began, time.monotonic(), f"{type(error).__name__}: {error}"))
                continue
            if answer.status != 200:
                self.failures.append((began, time.monotonic(), f"status {answer.status}"))
            self.seconds.append(time.monotonic() - began)

    def publish(self) -> None:
        source = random.Random(0)
        while not self.stop.wait(PUBLISH_EVERY_S):
            page = self.root / "build" / page_file(source.randrange(PAGES))
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace("<p>", f"<p>Edited at {time.time():.0f}. ", 1), encoding="utf-8")
            done = subprocess.run([*COMMAND, "index", "--quiet"], cwd=self.root, check=False)
            self.publishes[done.returncode] += 1

    def kill(self, server: int) -> None:
        source = random.Random(0)
        while not self.stop.wait(KILL_EVERY_S):
            if workers := workers_of(server):
                os.kill(source.choice(workers), signal.SIGKILL)
                self.kills.append(time.monotonic())

    def unexplained(self) -> list[tuple[float, float, str]]:
        """The failures that no kill explains."""
        return [
            failure
            for failure in self.failures
            if not any(failure[0] <= kill + KILLED_WITHIN_S and kill <= failure[1] <= kill + 2 * KILLED_WITHIN_S
                       for kill in self.kills)
        ]  # fmt: skip


def workers_of(server: int) -> list[int]:
    """The worker processes of a server, without helpers of `multiprocessing`."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return [int(child) for child in children if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    try:
        write_site(root / "build", PAGES)
        (root / "searchsocket.toml").write_text("[api.rate_limit]\nmax = 0\n")
        subprocess.run([*COMMAND, "index", "--quiet"], cwd=root, check=True)
        serve = [*COMMAND, "serve", "--port", "0", "--workers", str(WORKERS)]
        with subprocess.Popen(serve, cwd=root, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            address = next(filter(None, (re.search(r"127\.0\.0\.1:(\d+)", line) for line in server.stdout)))
            load = Load(root, int(address[1]))
            time.sleep(5)
            threads = [threading.Thread(target=load.ask, args=[seed]) for seed in range(options.clients)]
            threads += [threading.Thread(target=load.publish), threading.Thread(target=load.kill, args=[server.pid])]
            for thread in threads:
                thread.start()
            time.sleep(60 * options.minutes)
            load.stop.set()
            for thread in threads:
                thread.join()
            server.send_signal(signal.SIGINT)
    finally:
        shutil.rmtree(root)
    report(load)


def report(load: Load) -> None:
    slow = sorted(load.seconds)
    p99 = slow[len(slow) * 99 // 100]
    print(
        f"{len(slow):,} queries answered: p50 {statistics.median(slow):.3f} s, p99 {p99:.3f} s, most {slow[-1]:.1f} s"
    )
    print(f"{len(load.kills)} workers killed; runs of `index` by exit status: {dict(load.publishes)}")
    unexplained = load.unexplained()
    print(f"{len(load.failures)} queries failed, {len(unexplained)} of them not in a killed worker")
    for began, ended, how in unexplained[:20]:
        print(f"  {how}, after {ended - began:.2f} s")
    raise SystemExit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
