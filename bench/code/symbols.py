"""`python -m bench.code.symbols REPOSITORY...`: check that a definition is first if its name is the query.

A seed samples the names, as many per repository, among those of programming languages. A definition is right if its
qualified name is exactly the query.
"""

import os
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.serving.service import CodeService, open_code
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.project.project import open_project
from searchsocket.types import Lines

TOTAL, SEED = 2_000, 17
_NO_PROGRAMS = frozenset({"markdown", "text", "json", "yaml", "toml", "css", "html", "xml", "ini"})


def indexed(root: Path, environ: Mapping[str, str]) -> CodeService:
    """The source code of a folder, indexed where it is stale."""
    configuration = root / "searchsocket.toml"
    if not configuration.exists():
        configuration.write_text("[code]\nenable = true\n", encoding="utf-8")
    project = open_project(root, environ)
    open_upkeep(project, environ).sync("main", "bench")
    return open_code(project, environ)


def main(arguments: Sequence[str]) -> None:
    total = [0, 0, 0, 0]
    for root in map(Path, arguments):
        code = indexed(root, os.environ)
        names = names_in(code)
        queries = random.Random(SEED).sample(names, min(TOTAL // len(arguments), len(names)))
        ranks = [[one.symbol == name for one in code.search(CodeQuery(name), "main").results] for name in queries]
        missed = [name for name, right in zip(queries, ranks, strict=True) if not any(right[:5])]
        counts = [len(queries), sum(right[:1] == [True] for right in ranks), len(queries) - len(missed),
                  sum(not right for right in ranks)]  # fmt: skip
        total = [a + b for a, b in zip(total, counts, strict=True)]
        print(f"{root.name}: {_line(counts)}; not in the first five: {missed[:8]}")
    print(f"all: {_line(total)}")


def names_in(code: CodeService) -> list[str]:
    """The qualified names of all definitions of programs."""
    reader, _ = code.engine.opened(code.home.scope_named("main"))
    ids = [record_id for record_id, _ in reader.catalogue.fingerprints("", 1_000_000)]
    records = reader.catalogue.records(ids)
    names = {
        name
        for record in records
        if isinstance(record.chunk.at, Lines) and record.page.language not in _NO_PROGRAMS
        for name in record.chunk.at.heading_path
    }
    return sorted(names)


def _line(counts: Sequence[int]) -> str:
    names, first, five, refused = counts
    return f"{names} names, first {first / names:.1%}, in the first five {five / names:.1%}, refused {refused}"


if __name__ == "__main__":
    main(sys.argv[1:])
