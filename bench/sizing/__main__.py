"""Unit costs of a site by its size: `python -m bench.sizing` measures them and writes them beside this file.

Generated sites of 1,000 and 10,000 pages: the measurements of `bench.indexing`, then a service over each, its memory
and the median of its queries. A cost is the line through its two points. Run it on an idle machine.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import httpx

from bench.beside_pagefind.tree import commit, folder_mb
from bench.indexing.__main__ import child
from bench.indexing.generate import page_file, write_site
from bench.sizing.table import COSTS
from searchsocket.backends import Backends
from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.project.project import open_project

SMALL, LARGE = 1_000, 10_000
SAMPLE = 500  # records whose texts are measured
QUERIES = ("install", "how to configure the server", "timeout of a request", "delete a page", "queue")
ROUNDS = 60
Costs = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.sizing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--machine", default="two shared x86-64 cores", help="description of the machine, for the table"
    )
    arguments = parser.parse_args()
    os.environ["SEARCHSOCKET__RUN__WORKERS"] = "1"  # the CPU seconds of one process are complete
    folder = Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    try:
        small, large = measured(folder / "small", SMALL), measured(folder / "large", LARGE)
        shape = site_shape(folder / "large")
    finally:
        shutil.rmtree(folder)
    by_chunks = {"service_memory_mb", "query_ms"}
    lines = {
        name: line(small[name], large[name], shape["chunks_per_page"] if name in by_chunks else 1.0) for name in small
    }
    about = {"date": datetime.now(UTC).date().isoformat(), "commit": commit(), "machine": arguments.machine}
    COSTS.write_text(json.dumps(about | shape | lines, indent=1) + "\n")
    print(f"wrote {COSTS}")


def measured(root: Path, pages: int) -> Costs:
    """All costs at one size."""
    write_site(root / "build", pages)
    cold, unchanged = child(root, "main"), child(root, "main")
    served = service_costs(root)
    edit(root, [pages // 2])
    one_page = child(root, "main")
    edit(root, range(0, pages, 100))
    branch = child(root, "branch")
    costs = {
        "cold_cpu_s": cold["cpu"], "branch_cpu_s": branch["cpu"], "edit_cpu_s": one_page["cpu"],
        "unchanged_cpu_s": unchanged["cpu"], "cold_mb": cold["disk"], "branch_mb": branch["disk"],
        "mirror_mb": folder_mb(root / ".searchsocket" / "pages" / "main"), "index_memory_mb": cold["peak"],
    }  # fmt: skip
    result = {name: float(value) for name, value in costs.items()} | served  # type: ignore[arg-type]
    print(pages, {name: round(value, 2) for name, value in result.items()}, flush=True)
    return result


def edit(root: Path, numbers: range | list[int]) -> None:
    """Add a sentence to some pages."""
    for number in numbers:
        page = root / "build" / page_file(number)
        page.write_text(page.read_text(encoding="utf-8").replace("<p>", "<p>One more sentence. ", 1), encoding="utf-8")


def service_costs(root: Path) -> Costs:
    """Memory and the median of a query of a service over the scope `main`."""
    environ = {**os.environ, "SEARCHSOCKET__API__RATE_LIMIT__MAX": "0", "PYTHONUNBUFFERED": "1"}
    command = [str(Path(sys.executable).with_name("searchsocket")), "serve", "--port", "0", "--scope", "main"]
    with subprocess.Popen(command, cwd=root, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert address
        seconds = []
        with httpx.Client(base_url=address[0]) as client:
            for number in range(ROUNDS):
                for query in QUERIES:  # each is new, as typed by another visitor
                    began = time.perf_counter()
                    client.get("/api/search", params={"q": f"{query} {number}"}).raise_for_status()
                    seconds.append(time.perf_counter() - began)
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.terminate()
    resident_kb = int(status.partition("VmRSS:")[2].split()[0])
    return {"service_memory_mb": resident_kb / 1000, "query_ms": 1000 * statistics.median(seconds)}


def site_shape(root: Path) -> Costs:
    """The shape of a page of the generated site."""
    project = open_project(root, os.environ)
    store = Backends(project, os.environ, calls=False, local_only=True).store
    reader = store.reader(project.scope_named("main"))
    ids = [record_id for record_id, _ in reader.catalogue.fingerprints("", SAMPLE)]
    tokens = sum(map(estimate_tokens, reader.catalogue.texts(ids)))
    return {
        "chunks_per_page": reader.generation.records / reader.generation.pages,
        "tokens_per_chunk": tokens / len(ids),
    }


def line(small: float, large: float, factor: float) -> Mapping[str, float]:
    """The line through both points; `factor`: of the amount to a page."""
    slope = (large - small) / (LARGE - SMALL)
    return {"base": round(max(small - slope * SMALL, 0.0), 4), "slope": round(slope / factor, 8)}


if __name__ == "__main__":
    main()
