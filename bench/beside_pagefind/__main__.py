"""Compare with Pagefind the times that a user waits: `python -m bench.beside_pagefind BUILD --pagefind PATH`.

Pagefind is from npm: after `npm i pagefind@1`, PATH is `node_modules/.bin/pagefind`. Both index the same files on the
same machine in turn. Each row is the minimum of its runs (CPU of the whole process tree). Then, over our index: a run
without changes, one with a changed page, a second scope of the same site, a run of Dagster without changes, and a query
from the shell without a service and with one. The last rows are the bytes that a browser loads until it shows results
of each. `--only` selects rows by the beginning of their name. `--before` is the `searchsocket` command of an older
version, installed elsewhere: the rows that it supports are measured for both, in turn.
"""

import argparse
import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import searchsocket
from bench.beside_pagefind.first_result import our_bytes, pagefind_bytes
from bench.beside_pagefind.tree import Cost, commit, cost_of, folder_mb

COMMAND = str(Path(sys.executable).with_name("searchsocket"))
PORT = 18_987
NEWER = ("Dagster run without changes", "shell query, a service")  # rows that not every older version can be asked for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="A built site.")
    parser.add_argument("--pagefind", default="", metavar="PATH", help="Pagefind program; without it, only ours runs.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--query", default="create index")
    parser.add_argument("--only", default="", metavar="ROW", help="Measure only rows with this prefix.")
    parser.add_argument(
        "--before", default="", metavar="COMMAND", help="Measure also this command of an older version."
    )
    options = parser.parse_args()
    for package in (searchsocket.__path__[0], str(Path(searchsocket.__path__[0]).with_name("searchsocket_assets"))):
        compileall.compile_dir(package, quiet=2)
    with tempfile.TemporaryDirectory(prefix="searchsocket-bench-") as folder:
        bench = Bench(Path(folder) / "now", options.build.resolve(), COMMAND, options.pagefind, options.query)
        print(f"commit {commit()}\n")
        print("| what | CPU s | wall s | peak MB | disk MB |\n|---|---|---|---|---|")
        if options.pagefind and "Pagefind, cold".startswith(options.only):
            rows(options.runs, {"Pagefind, cold": (bench.pagefind, bench.bundle)})
        versions = {"": bench}
        if options.before:
            versions[", before"] = Bench(
                Path(folder) / "before", options.build.resolve(), options.before, "", options.query
            )
        rows(
            options.runs, {f"ours, cold{which}": (of.cold, of.root / ".searchsocket") for which, of in versions.items()}
        )
        for name in bench.warm():
            if name.startswith(options.only):
                runs = {which: of.warm()[name] for which, of in versions.items() if of is bench or name not in NEWER}
                rows(options.runs, {f"{name}{which}": (run, None) for which, run in runs.items()})
        if options.pagefind and "first result".startswith(options.only):
            bench.first_result()


def rows(runs: int, measured: Mapping[str, tuple[Callable[[], Cost], Path | None]]) -> None:
    """Measure each in turn and print the least of each number, with the size of a folder."""
    costs: dict[str, list[Cost]] = {name: [] for name in measured}
    for _ in range(runs):
        for name, (run, _) in measured.items():
            costs[name].append(run())
    for name, (_, disk) in measured.items():
        best = [min(numbers) for numbers in zip(*costs[name], strict=True)]
        size = f"{folder_mb(disk):.1f}" if disk else ""
        print(f"| {name} | {best[0]:.3f} | {best[1]:.3f} | {best[2]:.0f} | {size} |", flush=True)


class Bench:
    """A project over a copy of the site, and what is done with it."""

    def __init__(self, folder: Path, build: Path, command: str, pagefind: str, query: str) -> None:
        self.root, self.bundle = folder / "site", folder / "bundle"
        self._command, self._pagefind, self._query = command, pagefind, query
        shutil.copytree(build, self.root / "build")
        hidden = ("SEARCHSOCKET", "PYTHONDONTWRITEBYTECODE", "DAGSTER")
        self._environ = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        self._environ["XDG_CACHE_HOME"] = str(folder / "cache")
        self._edits = 0

    def first_result(self) -> None:
        """Print what a browser loads until it shows results."""
        if not self.bundle.exists():
            self.pagefind()
        with self._serving():
            ours = our_bytes(PORT, self._query)
        print("\n| first result | bytes | of them |\n|---|---|---|")
        for name, counted in (("Pagefind", pagefind_bytes(self.bundle, self._query)), ("ours", ours)):
            parts = ", ".join(f"{kind} {size:,}" for kind, size in counted.items())
            print(f"| {name} | {sum(counted.values()):,} | {parts} |", flush=True)

    def pagefind(self) -> Cost:
        """Pagefind over the same files."""
        shutil.rmtree(self.bundle, ignore_errors=True)
        return self._cost(self._pagefind, "--site", str(self.root / "build"), "--output-path", str(self.bundle))

    def cold(self) -> Cost:
        """Our command where there is neither state nor cache."""
        shutil.rmtree(self.root / ".searchsocket", ignore_errors=True)
        shutil.rmtree(self._environ["XDG_CACHE_HOME"], ignore_errors=True)
        return self._cost(self._command, "index")

    def warm(self) -> dict[str, Callable[[], Cost]]:
        """The rows that are measured over an index, in this order."""
        search = (self._command, "search", self._query)
        return {
            "help": lambda: self._cost(self._command, "--help"),
            "nothing changed": lambda: self._cost(self._command, "index"),
            "Dagster run without changes": lambda: self._cost(self._command, "index", "--record"),
            "one page changed": self._edited,
            "second scope": self._second_scope,
            "shell query, no service": lambda: self._cost(*search),
            "shell query, a service": self._asking_a_service,
        }

    def _cost(self, *command: str) -> Cost:
        return cost_of(command, self.root, self._environ)

    def _edited(self) -> Cost:
        page = next(path for path in sorted((self.root / "build").rglob("*.html")) if b"</p>" in path.read_bytes())
        self._edits += 1
        page.write_bytes(page.read_bytes().replace(b"</p>", f" Edit {self._edits}.</p>".encode(), 1))
        return self._cost(self._command, "index")

    def _second_scope(self) -> Cost:
        self._edits += 1
        return self._cost(self._command, "index", "--scope", f"other-{self._edits}")

    def _asking_a_service(self) -> Cost:
        with self._serving():
            return self._cost(self._command, "search", self._query)

    @contextmanager
    def _serving(self) -> Iterator[None]:
        command = [self._command, "serve", "--port", str(PORT)]
        nothing = subprocess.DEVNULL
        with subprocess.Popen(command, cwd=self.root, env=self._environ, stdout=nothing, stderr=nothing) as service:
            try:
                while not (self.root / ".searchsocket" / "serve.sock").exists():
                    assert service.poll() is None, "the service ended"
                    time.sleep(0.1)
                yield
            finally:
                service.terminate()


if __name__ == "__main__":
    main()
