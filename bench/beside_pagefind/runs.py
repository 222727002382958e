"""Runs of the command and of Pagefind over a copy of a site, and a table of what they cost."""

import compileall
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import searchsocket
from bench.beside_pagefind.first_result import our_bytes, pagefind_bytes
from bench.beside_pagefind.tree import Cost, cost_of, folder_mb
from bench.serving.__main__ import serving

COMMAND = str(Path(sys.executable).with_name("searchsocket"))
PORT = 18_987


def compile_bytecode() -> None:
    """Compile all packages, so that the first run does not pay for it."""
    source = Path(searchsocket.__path__[0]).parent
    for package in ("searchsocket", "searchsocket_assets", "search_api"):
        compileall.compile_dir(source / package, quiet=2)


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
        self.command, self._pagefind, self._query = command, pagefind, query
        shutil.copytree(build, self.root / "build")
        hidden = ("SEARCHSOCKET", "PYTHONDONTWRITEBYTECODE", "DAGSTER")
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        self.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        self._edits = 0

    def first_result(self) -> None:
        """Print what a browser loads until it shows results."""
        if not self.bundle.exists():
            self.pagefind()
        with serving(self.root, self.command, PORT):
            ours = our_bytes(PORT, self._query)
        print("\n| first result | bytes | of them |\n|---|---|---|")
        for name, counted in (("Pagefind", pagefind_bytes(self.bundle, self._query)), ("ours", ours)):
            parts = ", ".join(f"{kind} {size:,}" for kind, size in counted.items())
            print(f"| {name} | {sum(counted.values()):,} | {parts} |", flush=True)

    def pagefind(self) -> Cost:
        """Pagefind over the same files."""
        shutil.rmtree(self.bundle, ignore_errors=True)
        return self._cost(self._pagefind, "--site", str(self.root / "build"), "--output-path", str(self.bundle))

    def cold(self, *options: str) -> Cost:
        """Our command where there is neither state nor cache."""
        shutil.rmtree(self.root / ".searchsocket", ignore_errors=True)
        shutil.rmtree(self.environ["XDG_CACHE_HOME"], ignore_errors=True)
        return self._cost(self.command, "index", *options)

    def warm(self) -> dict[str, Callable[[], Cost]]:
        """The rows that are measured over an index, in this order."""
        search = (self.command, "search", self._query)
        return {
            "help": lambda: self._cost(self.command, "--help"),
            "nothing changed": lambda: self._cost(self.command, "index"),
            "Dagster run without changes": lambda: self._cost(self.command, "index", "--record"),
            "one page changed": self._edited,
            "second scope": self._second_scope,
            "shell query": lambda: self._cost(*search),
        }

    def _cost(self, *command: str) -> Cost:
        return cost_of(command, self.root, self.environ)

    def _edited(self) -> Cost:
        page = next(path for path in sorted((self.root / "build").rglob("*.html")) if b"</p>" in path.read_bytes())
        self._edits += 1
        page.write_bytes(page.read_bytes().replace(b"</p>", f" Edit {self._edits}.</p>".encode(), 1))
        return self._cost(self.command, "index")

    def _second_scope(self) -> Cost:
        self._edits += 1
        return self._cost(self.command, "index", "--scope", f"other-{self._edits}")
