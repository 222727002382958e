"""HTML to mirror files and chunks, and a peer in the same run: `python -m bench.extraction BUILD [BUILD ...]`.

The peer (`peer/`, Node) is our reading of the chain that the TypeScript original documents: cheerio, turndown with
GitHub's rules, front matter, chunks at headings. It is not the original. Both process the same files on one core, in
turn, each round in a fresh process. The time is CPU seconds of all threads, from reading the first file to hashing the
last chunk.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.extraction.ours import run_stages, run_steps
from searchsocket.project.settings.model import Settings

PEER = Path(__file__).parent / "peer"
SIDES = ("peer", "steps", "stages")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.extraction", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("builds", nargs="+", type=Path, metavar="BUILD", help="a folder of HTML files")
    parser.add_argument("--pages", type=int, default=1_000, help="maximum per folder, evenly drawn (default 1000)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--run", choices=SIDES[1:], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(run_ours(arguments.run, arguments.builds[0])))
        return
    if not (PEER / "node_modules").exists():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=PEER, check=True)
    print("| site | pages | peer pages/s/core | our steps | ratio | our stages | ratio | chars a page | peer's |")
    print("|---|---|---|---|---|---|---|---|---|")
    for build in arguments.builds:
        with tempfile.TemporaryDirectory(prefix="searchsocket-bench-") as folder:
            files = sample(build, arguments.pages)
            row(site_name(build), len(files), measure(build, files, Path(folder), arguments.rounds))


def measure(build: Path, files: list[str], root: Path, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """The figures of every round by side; the sides take turns, so that what else runs here meets all alike."""
    for file in files:
        target = root / "build" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(build / file, target)
    settings = Settings()
    job = {
        "build": str(root / "build"),
        "files": files,
        "out": str(root / "mirror"),
        "settings": settings.extract.model_dump() | settings.chunking.model_dump(),
    }
    (root / "job.json").write_text(json.dumps(job), encoding="utf-8")
    figures: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
    for _ in range(rounds):
        for side in SIDES:
            figures[side].append(child(side, root))
            for made in (root / "mirror", root / ".searchsocket"):
                shutil.rmtree(made, ignore_errors=True)
    return figures


def sample(build: Path, pages: int) -> list[str]:
    """At most `pages` HTML files of a folder, evenly drawn over their sorted names."""
    files = sorted(
        file.relative_to(build).as_posix() for file in build.rglob("*.html") if file.is_file() and not file.is_symlink()
    )
    count = min(pages, len(files))
    return [files[index * len(files) // count] for index in range(count)]


def child(side: str, root: Path) -> dict[str, Any]:
    """One round of one side, in a process of its own on one core."""
    ours = [sys.executable, "-m", "bench.extraction", "--run", side, str(root)]
    command = ["node", str(PEER / "main.js"), str(root / "job.json")] if side == "peer" else ours
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, preexec_fn=_stay_on_one_core)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _stay_on_one_core() -> None:
    # Where the system lets us: else helper threads of either side may use more, and are counted all the same.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def run_ours(side: str, root: Path) -> dict[str, Any]:
    if side == "stages":
        return run_stages(root)
    job = json.loads((root / "job.json").read_text(encoding="utf-8"))
    return run_steps(Path(job["build"]), job["files"], Path(job["out"]))


def row(name: str, pages: int, figures: dict[str, list[dict[str, Any]]]) -> None:
    first = {side: rounds[0] for side, rounds in figures.items()}
    speed = {side: pages / statistics.median(figure["cpu_s"] for figure in rounds) for side, rounds in figures.items()}
    cells: Sequence[object] = (
        name,
        pages,
        f"{speed['peer']:.0f}",
        f"{speed['steps']:.0f}",
        f"{speed['steps'] / speed['peer']:.2f}",
        f"{speed['stages']:.0f}",
        f"{speed['stages'] / speed['peer']:.2f}",
        first["steps"]["characters"] // max(first["steps"]["pages"], 1),
        first["peer"]["characters"] // max(first["peer"]["pages"], 1),
    )
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def site_name(build: Path) -> str:
    """`vue-docs` for `sites/vue-docs/build`."""
    return build.resolve().parent.name if build.name in {"build", "dist"} else build.name


if __name__ == "__main__":
    main()
