"""Compare with Pagefind the times that a user waits: `python -m bench.beside_pagefind BUILD --pagefind PATH`.

Pagefind is from npm: after `npm i pagefind@1`, PATH is `node_modules/.bin/pagefind`. Both index the same files on the
same machine in turn. Each row is the minimum of its runs (CPU of the whole process tree). Then, over our index: a run
without changes, one with a changed page, a second scope of the same site, a run of Dagster without changes, and a query
from the shell. The last rows are the bytes that a browser loads until it shows results of each. `--only` selects rows
by the beginning of their name. `--before` is the `searchsocket` command of an older version, installed elsewhere: the
rows that it supports are measured for both, in turn.
"""

import argparse
import tempfile
from pathlib import Path

from bench.beside_pagefind.runs import COMMAND, Bench, compile_bytecode, rows
from bench.beside_pagefind.tree import commit

NEWER = ("Dagster run without changes",)  # rows that not every older version can be asked for


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
    compile_bytecode()
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


if __name__ == "__main__":
    main()
