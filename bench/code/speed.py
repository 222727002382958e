"""`python -m bench.code.speed ROOT`: CPU time of a query of source code, in one thread.

A stale index of ROOT is updated. The questions are those of `judged.tsv`, which describe code in words, and as many
names of the tree as they are written. Each round has its own order. `OMP_NUM_THREADS=1` keeps matrix products in that
thread.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.code.judged import questions
from bench.code.symbols import SEED, indexed, names_in
from searchsocket.extensions.code.search.answer import CodeQuery


def main(arguments: Sequence[str]) -> None:
    """Ask all questions and print the percentiles of both kinds, and of all."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.code.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", type=Path, help="a folder of source code")
    parser.add_argument("--rounds", type=int, default=10, help="number of times that each question is sent")
    options = parser.parse_args(arguments)
    code, draw = indexed(options.root, os.environ), random.Random(SEED)
    in_words = questions()
    as_written = draw.sample(names_in(code), len(in_words))
    queries = [("in words", q) for q in in_words] + [("as written", q) for q in as_written]
    took: dict[str, list[float]] = {}
    for each in range(options.rounds + 1):
        for kind, q in draw.sample(queries, len(queries)):
            start = time.thread_time()
            code.search(CodeQuery(q), "main")
            if each:  # the first round reads what the others find in memory
                took.setdefault(kind, []).append(1000 * (time.thread_time() - start))
    took["all"] = [one for some in took.values() for one in some]
    for kind, some in took.items():
        half, most = np.percentile(some, [50, 95])
        print(f"{kind}: {len(some)} queries, p50 {half:.1f} ms, p95 {most:.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
