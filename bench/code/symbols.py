"""`python -m bench.code.symbols REPOSITORY...`: is the definition of a name first where that name is the query?

Names are sampled by a seed, as many of each repository, among those of programming languages. A definition is right
where its qualified name is the query's to the letter.
"""

import os
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from searchsocket.project.project import open_project
from searchsocket.search.code.query import CodeQuery
from searchsocket.serving.code import CodeService, open_code
from searchsocket.serving.code_upkeep import open_upkeep
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
        asked = random.Random(SEED).sample(names, min(TOTAL // len(arguments), len(names)))
        found = [[one.symbol == name for one in code.search(CodeQuery(name), "main").results] for name in asked]
        missed = [name for name, right in zip(asked, found, strict=True) if not any(right[:5])]
        counts = [len(asked), sum(right[:1] == [True] for right in found), len(asked) - len(missed),
                  sum(not right for right in found)]  # fmt: skip
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
    asked, first, five, refused = counts
    return f"{asked} names, first {first / asked:.1%}, in the first five {five / asked:.1%}, refused {refused}"


if __name__ == "__main__":
    main(sys.argv[1:])
