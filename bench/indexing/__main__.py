"""How each stage grows with the site: `python -m bench.indexing 1000 10000 --site some-site/build`.

For every size: a cold run, a run without changes, a run after one page changed, a second scope, and a third one of
which a hundredth of the pages differ; seconds by stage, CPU seconds of the whole process tree (a subreaper waits for
orphans too: workers are children of a server that nobody waits for), MB on disk that the run added, and the peak memory
of the run and of its biggest worker. Each run is a fresh process.
For a site that is there already, which is copied first: a cold run and one without changes.
"""

import argparse
import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

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
    parser.add_argument("--keep", type=Path, help="folder for the sites and their state, kept afterwards")
    parser.add_argument("--run", nargs=2, metavar=("ROOT", "SCOPE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run_once(Path(arguments.run[0]), arguments.run[1])
        return
    become_subreaper()
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="searchsocket-bench-"))
    sizes = arguments.pages or ([] if arguments.site else [1_000, 10_000])
    print(
        "| pages | run | wall s | CPU s | " + " | ".join(STAGES) + " | pages/s/core | peak MB | worker MB | disk MB |"
    )
    print("|" + "---|" * (len(STAGES) + 8))
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
    before, disk = tree_cpu(), disk_mb(root / ".searchsocket")
    done = subprocess.run(
        [sys.executable, "-m", "bench.indexing", "--run", str(root), scope],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    result: dict[str, float | dict[str, float]] = json.loads(done.stdout.splitlines()[-1])
    with suppress(ChildProcessError):
        while os.wait():
            pass
    return result | {"cpu": tree_cpu() - before, "disk": disk_mb(root / ".searchsocket") - disk}


def become_subreaper() -> None:
    """Have orphans of our children become ours (Linux)."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def tree_cpu() -> float:
    """CPU seconds of all processes below this one that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def disk_mb(folder: Path) -> float:
    """Bytes of the distinct files below a folder: one that is linked twice counts once."""
    found = (path.lstat() for path in folder.rglob("*") if path.is_file())
    return sum({stat.st_ino: stat.st_size for stat in found}.values()) / 1e6


def run_once(root: Path, scope: str) -> None:
    from searchsocket.pipeline.run.context import ScopeRun
    from searchsocket.pipeline.run.index import index_scope
    from searchsocket.project.project import open_project

    started = time.perf_counter()
    project = open_project(root, os.environ)
    summary = index_scope(ScopeRun(project, project.scope_named(scope), f"bench-{time.time_ns()}"))
    wall = time.perf_counter() - started
    own, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        json.dumps(
            {"wall": wall, "peak": own.ru_maxrss / 1024, "worker": workers.ru_maxrss / 1024}
            | {"stages": dict(summary.seconds)}
        )
    )


def row(pages: int, name: str, result: dict[str, float | dict[str, float]]) -> None:
    stages = result["stages"]
    assert isinstance(stages, dict)
    wall, cpu, peak, worker, disk = (float(result[key]) for key in ("wall", "cpu", "peak", "worker", "disk"))  # type: ignore[arg-type]
    cells = [f"{wall:.1f}", f"{cpu:.1f}", *(f"{stages[stage]:.2f}" for stage in STAGES)]
    cells += [f"{pages / cpu:.0f}", f"{peak:.0f}", f"{worker:.0f}", f"{disk:.1f}"]
    print(f"| {pages} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
