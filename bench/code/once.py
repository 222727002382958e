"""`python -m bench.code.once REPOSITORY...`: check that a chunk is first if it alone contains the identifier.

A seed samples compound identifiers that occur exactly once in the files of a repository, as many per repository. A
chunk is right if its lines contain the identifier, as `grep -n` finds it.
"""

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.code.symbols import indexed
from searchsocket.extensions.code.search.answer import CodeQuery, CodeResult
from searchsocket.extensions.code.serving.service import CodeService

IDENTIFIERS, SEED, TOP_K = 80, 7, 10  # identifiers of each repository
_WORD = re.compile(r"\b[A-Za-z_]\w{7,}\b")
_COMPOUND = re.compile(r"[^_]_+[^_]|[a-z][A-Z]")
_SOURCE = (".rs", ".cc", ".h", ".go", ".ts", ".js", ".py")
_STATE = frozenset({".git", ".searchsocket"})


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int


def main(arguments: Sequence[str]) -> None:
    """Search for the identifiers of each repository and print their ranks."""
    total = [0, 0, 0, 0]
    for root in map(Path, arguments):
        code, places = indexed(root, os.environ), places_of_identifiers(root)
        identifiers = [name for name in places if _COMPOUND.search(name)]
        random.seed(SEED)
        random.shuffle(identifiers)
        ranks = {name: rank_of(code, name, places[name]) for name in identifiers[:IDENTIFIERS]}
        counts = [len(ranks), *(sum(0 < rank <= last for rank in ranks.values()) for last in (1, 5, TOP_K))]
        total = [a + b for a, b in zip(total, counts, strict=True)]
        print(f"{root.name}: {_line(counts)}; not first: {[name for name, rank in ranks.items() if rank != 1][:8]}")
    print(f"all: {_line(total)}")


def places_of_identifiers(root: Path) -> dict[str, Place]:
    """Return where each identifier occurs that occurs once in all files, in the order of paths and lines."""
    paths = (path for path in root.rglob("*") if path.is_file() and _STATE.isdisjoint(path.relative_to(root).parts))
    counts: Counter[str] = Counter()
    places: dict[str, Place] = {}
    for path in sorted(paths, key=lambda path: path.relative_to(root).as_posix().encode()):
        file = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            names = _WORD.findall(line)
            counts.update(names)
            if path.suffix in _SOURCE:
                places.update(dict.fromkeys(names, Place(file, number)))
    return {name: place for name, place in places.items() if counts[name] == 1}


def rank_of(code: CodeService, name: str, place: Place) -> int:
    """Return the rank of the result that contains a line; 0 if none of the first ten does."""
    results = code.search(CodeQuery(name, TOP_K), "main").results
    return next((rank for rank, result in enumerate(results, 1) if _contains(result, place)), 0)


def _contains(result: CodeResult, place: Place) -> bool:
    first, last = map(int, result.lines.split("-"))
    return result.file == place.file and first <= place.line <= last


def _line(counts: Sequence[int]) -> str:
    names, first, five, ten = counts
    return f"{names} identifiers, first {first}, in the first five {five}, not in ten {names - ten}"


if __name__ == "__main__":
    main(sys.argv[1:])
