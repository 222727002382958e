"""`python -m bench.code.judged FOLDER`: ranks of the answers that one person judged right, for `judged.tsv`.

FOLDER contains `three` and `django`, the archives of these packages as registries have them, and `svelte`, the source
of the SvelteKit site svelte-multiselect. A project without an index is indexed first.
"""

import csv
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.code.symbols import indexed
from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.quality.judgement import mean

QUERIES = Path(__file__).with_name("judged.tsv")
_DEPTH = 20


def main(arguments: Sequence[str]) -> None:
    rows = _rows()
    ranks = []
    for name in dict.fromkeys(row["repository"] for row in rows):
        code = indexed(Path(arguments[0]) / name, os.environ)
        for row in (row for row in rows if row["repository"] == name):
            results = code.search(CodeQuery(row["query"], _DEPTH), "main").results
            answers = row["answers"].split()
            right_ranks = (rank for rank, result in enumerate(results, start=1) if result.symbol in answers)
            ranks.append(next(right_ranks, 0))
            print(f"{ranks[-1] or '-':>3}  {name:<7} {row['query']}")
    print(f"mean reciprocal rank {mean(1 / rank if rank else 0.0 for rank in ranks):.3f} of {len(ranks)}")


def questions() -> list[str]:
    """The questions, of all repositories."""
    return [row["query"] for row in _rows()]


def _rows() -> list[dict[str, str]]:
    with QUERIES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


if __name__ == "__main__":
    main(sys.argv[1:])
