"""The growth of each stage with the size of the site: `python -m bench.indexing 1000 10000 --site some-site/build`.

For every size: a cold run, a run without changes, a run after one page changed, a second scope, and a third one with
changes in a hundredth of the pages. Prints seconds by stage, CPU seconds of the whole process tree, the peak memory of
its biggest process, and MB on disk that the run added. (Workers are children of a server that no one waits for, so a
subreaper counts them.) Each run is a fresh process. The first line has the measured commit.
For a given site, which is copied first: a cold run and one without changes.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from bench.beside_pagefind.tree import commit, cost_of, folder_mb
from bench.indexing.generate import page_file, write_site

STAGES = ("site_pages", "page_mirror", "page_chunks", "chunk_embeddings", "search_index")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.indexing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "pages", nargs="*", type=int, help="sizes of generated sites; 1000 and 10000 if there is no --site"
    )
    parser.add_argument(
        "--site", type=Path, action="append", default=[], metavar="BUILD", help="a folder of HTML files"
    )
    parser.add_argument("--keep", type=Path, help="folder for the sites and their state; stays after the run")
    parser.add_argument("--run", nargs=3, metavar=("ROOT", "SCOPE", "RESULT"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run_once(Path(arguments.run[0]), arguments.run[1], Path(arguments.run[2]))
        return
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    sizes = arguments.pages or ([] if arguments.site else [1_000, 10_000])
    print(f"commit {commit()}\n")
    print("| pages | run | wall s | CPU s | " + " | ".join(STAGES) + " | pages/s/core | peak MB | disk MB |")
    print("|" + "---|" * (len(STAGES) + 7))
    try:
        for pages in sizes:
            bench(folder / str(pages), pages)
        for number, build in enumerate(arguments.site):
            bench_site(folder / f"site-{number}", build)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)


def bench(root: Path, pages: int) -> None:
    """All runs over one generated site."""
    write_site(root / "build", pages)  # the same bytes as ever, whatever a run before has edited
    shutil.rmtree(root / ".searchsocket", ignore_errors=True)
    row(pages, "cold", child(root, "main"))
    row(pages, "no change", child(root, "main"))
    row(pages, "second scope", child(root, "preview"))
    page = root / "build" / page_file(pages // 2)
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("<p>", "<p>A sentence that was not there before. ", 1), encoding="utf-8")
    row(pages, "one page", child(root, "main"))
    page.write_text(text, encoding="utf-8")
    for number in range(0, pages, 100):
        page = root / "build" / page_file(number)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("<p>", "<p>A sentence of this branch. ", 1), encoding="utf-8")
    row(pages, "third scope, 1 % differ", child(root, "branch"))


def bench_site(root: Path, build: Path) -> None:
    """A cold run and one without changes over a copy of a real build."""
    shutil.copytree(build, root / "build", symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(root / ".searchsocket", ignore_errors=True)
    pages = sum(1 for _ in (root / "build").rglob("*.html"))
    row(pages, "cold", child(root, "main"))
    row(pages, "no change", child(root, "main"))


def child(root: Path, scope: str) -> dict[str, float | dict[str, float]]:
    """One run in a process of its own, so that its memory is its own."""
    before, result = disk_mb(root), root / "result.json"
    command = [sys.executable, "-m", "bench.indexing", "--run", str(root), scope, str(result)]
    cost = cost_of(command, Path.cwd(), os.environ)
    measured: dict[str, float | dict[str, float]] = json.loads(result.read_bytes())
    return measured | {"cpu": cost.cpu_s, "peak": cost.peak_mb, "disk": disk_mb(root) - before}


def disk_mb(root: Path) -> float:
    """Of what runs left there."""
    return folder_mb(root / ".searchsocket")


def run_once(root: Path, scope: str, result: Path) -> None:
    """One run, and its seconds into a file."""
    from searchsocket.pipeline.run.context import ScopeRun
    from searchsocket.pipeline.run.index import index_scope
    from searchsocket.project.project import open_project

    started = time.perf_counter()
    project = open_project(root, os.environ)
    summary = index_scope(ScopeRun(project, project.scope_named(scope), f"bench-{time.time_ns()}"))
    seconds = {"wall": time.perf_counter() - started, "stages": dict(summary.seconds)}
    result.write_text(json.dumps(seconds), encoding="utf-8")


def row(pages: int, name: str, result: dict[str, float | dict[str, float]]) -> None:
    stages = result["stages"]
    assert isinstance(stages, dict)
    wall, cpu, peak, disk = (float(result[key]) for key in ("wall", "cpu", "peak", "disk"))  # type: ignore[arg-type]
    cells = [f"{wall:.1f}", f"{cpu:.1f}", *(f"{stages[stage]:.2f}" for stage in STAGES)]
    cells += [f"{pages / cpu:.0f}", f"{peak:.0f}", f"{disk:.1f}"]
    print(f"| {pages} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
