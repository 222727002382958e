"""`python -m bench.code.beside_grep REPOSITORY...`: check that `find` lists the lines that `grep -nwF` lists.

A seed samples words from the indexed files, as they are written. Each word is searched for in all of these files, to
the last answer. Also prints the time of both.
"""

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.code.symbols import SEED, indexed
from searchsocket.extensions.code.parsing.reading import source_text
from searchsocket.extensions.code.search.find_all import CodeFindQuery
from searchsocket.extensions.code.serving.service import CodeService
from searchsocket.search.bounds import MAX_CODE_OCCURRENCES

WORDS = 25  # of each repository
_WORD = re.compile(r"\b[A-Za-z_]\w{3,}\b", re.ASCII)
Lines = set[tuple[str, int]]  # of files and of their lines


def main(arguments: Sequence[str]) -> None:
    """Compare both for each repository, and name the words that they differ in."""
    for root in map(Path, arguments):
        code = indexed(root, os.environ)
        files = _files(code)
        written = sorted({word for path in files for word in _WORD.findall(source_text((root / path).read_bytes())[0])})
        words = random.Random(SEED).sample(written, WORDS)
        ours, theirs, took = [], [], [0.0, 0.0]
        for number, (found, search) in enumerate(((ours, _lines_of_find), (theirs, _listed))):
            start = time.perf_counter()
            found += [search(code, root, files, word) for word in words]
            took[number] = (time.perf_counter() - start) / len(words)
        odd = [word for word, one, other in zip(words, ours, theirs, strict=True) if one != other]
        print(
            f"{root.name}: {len(words) - len(odd)} of {len(words)} words on the same lines, {sum(map(len, theirs)):,} "
            f"lines of {len(files):,} files; {1000 * took[0]:.0f} ms a word, grep {1000 * took[1]:.0f} ms; other: {odd}"
        )


def _files(code: CodeService) -> list[str]:
    reader, _ = code.engine.opened(code.home.scope_named("main"))
    ids = [record_id for record_id, _ in reader.catalogue.fingerprints("", 1_000_000)]
    return sorted({record.page.source_file for record in reader.catalogue.records(ids)})


def _lines_of_find(code: CodeService, root: Path, files: Sequence[str], word: str) -> Lines:
    lines: Lines = set()
    continuation = ""
    while True:
        answer = code.find(CodeFindQuery(word, limit=MAX_CODE_OCCURRENCES, continuation=continuation), "main")
        lines |= {(one.file, one.line) for one in answer.occurrences}
        if not (continuation := answer.continuation or ""):
            return lines


def _listed(code: CodeService, root: Path, files: Sequence[str], word: str) -> Lines:
    command = ["grep", "-HnawF", "-e", word, "--", *files]
    environ = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, check=False)
    rows = (line.split(":", 2) for line in done.stdout.decode(errors="replace").splitlines() if line.count(":") > 1)
    return {(path, int(number)) for path, number, _ in rows}


if __name__ == "__main__":
    main(sys.argv[1:])
