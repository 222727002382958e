"""One service over many projects: `python -m bench.many --projects 40 --scopes 20`.

The bench pushes the projects to a folder (or to --url), starts `searchsocket serve --projects` and sends the first
query of each project (cold project), the first query of each further scope (cold scope), queries over a few open scopes
(warm), and queries over all scopes in a random order. It prints the medians and 95th percentiles, the CPU time per
query, the memory of the process (its own, and with mapped files), the open projects and the pulled bytes. Every answer
must have a result. Wall times need a quiet machine; other load changes CPU time and memory only a little.
"""

import argparse
import os
import random
import re
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from bench.beside_pagefind.tree import commit, folder_mb
from bench.indexing.generate import vocabulary
from bench.many.place import Shape, project_name, scope_name, write_place

QUERY_WORDS = vocabulary(1)[:150]  # of the generated pages, the frequent ones
WARM_SCOPES = 10
COMMAND = (sys.executable, "-m", "searchsocket.cli.main")
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.many", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--projects", type=int, default=40, help="number of projects")
    parser.add_argument("--scopes", type=int, default=20, help="scopes of each project")
    parser.add_argument("--pages", type=int, default=30, help="pages of each scope, nine chunks each")
    parser.add_argument("--queries", type=int, default=4_000, help="queries over all scopes, and over a few")
    parser.add_argument("--memory-mb", type=int, default=600, help="limit of `serve --projects`")
    parser.add_argument("--disk-mb", type=int, default=20_000, help="limit of `serve --projects`")
    parser.add_argument("--url", default="", help="object store to push to; default: a folder")
    parser.add_argument("--keep", type=Path, help="folder for the projects; later runs use it again")
    parser.add_argument("--processes", type=int, default=2, help="processes that write the projects")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    shape = Shape(arguments.projects, arguments.scopes, arguments.pages)
    url = arguments.url or (folder / "place").resolve().as_uri()
    try:
        if not (folder / "pushed").exists():
            write_place(folder, url, shape, arguments.processes)
            (folder / "pushed").touch()
        machine = folder / "machine"
        shutil.rmtree(machine, ignore_errors=True)
        machine.mkdir()
        (machine / "searchsocket.toml").write_text("[api.rate_limit]\nmax = 0\n")
        limits = ("--memory-mb", str(arguments.memory_mb), "--disk-mb", str(arguments.disk_mb))
        print(f"commit {commit()}, {shape}, {' '.join(limits)}\n")
        with service(machine, url, limits) as running:
            measure(running, shape, arguments.queries)
        print(f"\npulled files: {folder_mb(machine):,.0f} MB")
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)


@dataclass
class Running:
    """A running service, and a client with its key."""

    client: httpx.Client
    process: int
    failed: list[str] = field(default_factory=list)
    numbers: random.Random = field(default_factory=lambda: random.Random(1))

    def ask(self, project: int, scope: int) -> float:
        """The seconds that an answer to three words took."""
        query = " ".join(self.numbers.sample(QUERY_WORDS, 3))
        began = time.perf_counter()
        answer = self.client.get(
            f"/sites/{project_name(project)}/api/search", params={"q": query, "scope": scope_name(scope)}
        )
        seconds = time.perf_counter() - began
        if answer.status_code != 200 or not answer.json()["results"]:
            self.failed.append(f"{project_name(project)} {scope_name(scope)}: {answer.status_code} {answer.text[:200]}")
        return seconds

    def cpu_s(self) -> float:
        """CPU seconds of the process until now."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self, kind: str) -> float:
        """`RssAnon` (its own), `VmRSS` (with pages of files) or `VmHWM` (the peak of that) of the process."""
        status = Path(f"/proc/{self.process}/status").read_text()
        match = re.search(rf"{kind}:\s+(\d+) kB", status)
        assert match
        return int(match[1]) / 1000

    def files(self) -> int:
        """Files that the process has open."""
        return len(list(Path(f"/proc/{self.process}/fd").iterdir()))


def measure(running: Running, shape: Shape, queries: int) -> None:
    """Ask in four ways, and print a line for each."""
    numbers = running.numbers
    every = [(project, scope) for project in range(shape.projects) for scope in range(shape.scopes)]
    print("| queries | number | median ms | 95 % ms | CPU ms | own MB | with files MB | open files | open projects |")
    print("|---|---|---|---|---|---|---|---|---|")
    row(running, "none yet", [])
    row(running, "cold project", [(project, 0) for project in range(shape.projects)])
    scopes = [pair for pair in every if pair[1]]
    numbers.shuffle(scopes)
    row(running, "cold scope", scopes)
    few = numbers.sample(every, min(WARM_SCOPES, len(every)))
    for pair in few:
        running.ask(*pair)
    row(running, "warm", [numbers.choice(few) for _ in range(queries)])
    row(running, "over all", [numbers.choice(every) for _ in range(queries)])
    print(f"\npeak memory: {running.memory_mb('VmHWM'):,.0f} MB; failed: {len(running.failed)}")
    for line in running.failed[:5]:
        print(line)


def row(running: Running, name: str, pairs: Sequence[tuple[int, int]]) -> None:
    """Ask projects and scopes, and print one line of the table."""
    began = running.cpu_s()
    seconds = [running.ask(*pair) for pair in pairs]
    cpu_ms = 1000 * (running.cpu_s() - began) / max(len(pairs), 1)
    sites = running.client.get("/api/health").json()["sites"]
    is_open = sum(site["state"] == "open" for site in sites.values())
    median = f"{1000 * statistics.median(seconds):.1f}" if seconds else "-"
    most = f"{1000 * sorted(seconds)[int(0.95 * len(seconds))]:.1f}" if seconds else "-"
    own, total = running.memory_mb("RssAnon"), running.memory_mb("VmRSS")
    print(
        f"| {name} | {len(seconds):,} | {median} | {most} | {cpu_ms:.1f} | {own:,.0f} | {total:,.0f} | "
        f"{running.files()} | {is_open} |",
        flush=True,
    )


@contextmanager
def service(machine: Path, url: str, limits: Sequence[str]) -> Iterator[Running]:
    """The service over a place, as users start it."""
    key = secrets.token_hex(24)
    process = subprocess.Popen(
        [*COMMAND, "serve", "--projects", url, "--port", "0", *limits],
        cwd=machine,
        env=os.environ | {"SEARCHSOCKET_API_KEY": key},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        match = _ADDRESS.search(process.stdout.readline())
        assert match
        with httpx.Client(base_url=match[0], headers={"authorization": f"Bearer {key}"}, timeout=60) as client:
            yield Running(client, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=60)


if __name__ == "__main__":
    main()
