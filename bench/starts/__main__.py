"""The cost of starting: `python -m bench.starts`.

Whole processes, five runs each after a warm-up: the entry points that only load, and a run without changes over a small
site, as a library call, as a command that finds no change, and through Dagster all the same.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.indexing.generate import write_site

RUNS = 5
LIBRARY_RUN = """
import os
from pathlib import Path
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.project.project import open_project
project = open_project(Path("."), os.environ)
index_scope(ScopeRun(project, project.scope_named("main"), "bench"))
"""


def main() -> None:
    command = str(Path(sys.executable).with_name("searchsocket"))
    with tempfile.TemporaryDirectory(prefix="searchsocket-bench-") as folder:
        write_site(Path(folder) / "build", 70)
        rows = {
            "`searchsocket --help`": [command, "--help"],
            "load the service": [sys.executable, "-c", "import search_api.run.server"],
            "load the Dagster definitions": [
                sys.executable,
                "-c",
                "import searchsocket_assets.definitions as d; d.defs",
            ],
            "run without changes, library": [sys.executable, "-c", LIBRARY_RUN],
            "nothing changed, decided without Dagster": [command, "index"],
            "run without changes, through Dagster": [command, "index", "--record"],
        }
        print("| process | wall s (median) | CPU s (median) |\n|---|---|---|")
        for name, arguments in rows.items():
            wall, cpu = measure(arguments, Path(folder))
            print(f"| {name} | {wall:.2f} | {cpu:.2f} |", flush=True)


def measure(arguments: list[str], folder: Path) -> tuple[float, float]:
    """Median wall and CPU seconds of a process with its children."""
    walls, cpus = [], []
    for _ in range(RUNS + 1):
        before, started = os.times(), time.perf_counter()
        subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        walls.append(time.perf_counter() - started)
        after = os.times()
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return statistics.median(walls[1:]), statistics.median(cpus[1:])


if __name__ == "__main__":
    main()
