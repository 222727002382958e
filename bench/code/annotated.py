"""`python -m bench.code.annotated BENCHMARKS REPOSITORIES FOLDER`: semble's own benchmark, by its own metric.

BENCHMARKS is the folder `benchmarks` of semble's repository: `repos.json` pins the repositories, `annotations/` has the
queries and the files that answer them. REPOSITORIES has a git directory per repository, named `OWNER+NAME/repo`. If it
lacks the pinned commit, the newest one is read, and queries about missing files are left out. FOLDER gets the trees and
indexes. The two halves are the repositories at even and at odd places in the order of their names.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.code.searches import OurTable, semble_index
from bench.code.symbols import indexed
from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.quality.judgement import mean

_TOP_K = 10
HALVES = ("even", "odd")


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file: a result, or an answer."""

    path: str
    first: int = 0
    last: int = sys.maxsize

    def answers(self, answer: "Span") -> bool:
        """Return True if the lines overlap those of the answer."""
        return _matches(self.path, answer.path) and self.first <= answer.last and answer.first <= self.last


Search = Callable[[str], Sequence[Span]]  # a query -> its results, best first


@dataclass(frozen=True, slots=True)
class Annotated:
    """A query with what answers it."""

    repository: str
    half: str
    text: str
    kind: str
    answers: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Repository:
    """A tree of files and the queries about it."""

    name: str
    root: Path
    queries: tuple[Annotated, ...]


def main(arguments: Sequence[str]) -> None:
    """Ask all queries and print nDCG@10 by half and kind of query."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.code.annotated",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("benchmarks", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--per-file", type=int, help="results per file; default: as in the product")
    parser.add_argument("--semble", action="store_true", help="run semble, with the table of our built-in model")
    parser.add_argument("--misses", action="store_true", help="print each query without a perfect answer")
    options = parser.parse_args(arguments)
    searcher = semble_search if options.semble else partial(our_search, per_file=options.per_file)
    scores: list[tuple[Annotated, float]] = []
    for repository in annotated_repositories(options.benchmarks, options.repositories, options.folder):
        search = searcher(repository.root)
        for query in repository.queries:
            results = search(query.text)
            scores.append((query, quality(results, query.answers)))
            if options.misses and scores[-1][1] < 1:
                answers, files = ([span.path for span in spans] for spans in (query.answers, results))
                print(f"{scores[-1][1]:.2f} {query.repository} | {query.text} | {answers} | {files}")
        print(f"{repository.name}: {_mean_of(scores, repository=repository.name)}", file=sys.stderr)
    for kind in ("", *sorted({query.kind for query, _ in scores})):
        halves = ", ".join(f"{half or 'all'} {_mean_of(scores, half=half, kind=kind)}" for half in ("", *HALVES))
        print(f"{kind or 'all queries'}: {halves}")


def annotated_repositories(benchmarks: Path, repositories: Path, folder: Path) -> Iterator[Repository]:
    """Yield the repositories that can be had, by name."""
    specs = json.loads((benchmarks / "repos.json").read_bytes())
    for at, spec in enumerate(sorted(specs, key=lambda one: one["name"])):
        name = spec["name"]
        git = repositories / spec["url"].removeprefix("https://github.com/").removesuffix(".git").replace("/", "+")
        if not (git / "repo").is_dir():
            print(f"{name}: not here", file=sys.stderr)
            continue
        base = spec.get("benchmark_root") or ""
        root = folder / name
        if not root.is_dir():
            _export(git / "repo", spec["revision"], base, root)
        annotations = json.loads((benchmarks / "annotations" / f"{name}.json").read_bytes())
        queries = (_query(name, HALVES[at % 2], one) for one in annotations if one.get("repo", name) == name)
        there = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
        answered = tuple(
            query for query in queries if all(any(_matches(path, one.path) for path in there) for one in query.answers)
        )
        if len(answered) < len(annotations):
            print(f"{name}: {len(annotations) - len(answered)} of {len(annotations)} queries left out", file=sys.stderr)
        if answered:
            yield Repository(name, root, answered)


def our_search(root: Path, per_file: int | None = None) -> Search:
    """Our search as it ships, or with a number of results per file."""
    code = indexed(root, os.environ)
    settings: dict[str, Any] = {} if per_file is None else {"max_per_file": per_file}
    query = replace(CodeQuery("q", _TOP_K), **settings)
    return lambda q: [
        Span(result.file, *map(int, result.lines.split("-")))
        for result in code.search(replace(query, q=q), "main").results
    ]


def semble_search(root: Path) -> Search:
    """Semble with the table of our built-in model."""
    index = semble_index(root, OurTable(), "ours")
    return lambda q: [
        Span(result.chunk.file_path, result.chunk.start_line, result.chunk.end_line)
        for result in index.search(q, top_k=_TOP_K)
    ]


def quality(results: Sequence[Span], answers: Sequence[Span]) -> float:
    """Return nDCG@10: of each answer, the first result in it counts; further ones take ranks."""
    ranks = (next((rank for rank, one in enumerate(results) if one.answers(answer)), None) for answer in answers)
    gain = sum(1 / math.log2(rank + 2) for rank in set(ranks) if rank is not None and rank < _TOP_K)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(_TOP_K, len(answers))))


def _query(repository: str, half: str, annotation: dict[str, Any]) -> Annotated:
    answers = map(_answer, (*annotation["relevant"], *annotation.get("secondary", ())))
    return Annotated(repository, half, annotation["query"], annotation["category"], tuple(answers))


def _answer(target: str | dict[str, Any]) -> Span:
    if isinstance(target, str):
        return Span(target)
    return Span(target["path"], target.get("start_line", 0), target.get("end_line", sys.maxsize))


def _matches(path: str, answer: str) -> bool:
    return path == answer or path.endswith(f"/{answer}") or answer.endswith(f"/{path}")


def _export(git: Path, revision: str, base: str, root: Path) -> None:
    lookup = subprocess.run(["git", "--git-dir", git, "cat-file", "-e", f"{revision}^{{commit}}"], capture_output=True)
    commit = "HEAD" if lookup.returncode else revision
    root.mkdir(parents=True)
    tree = subprocess.run(
        ["git", "--git-dir", git, "archive", f"{commit}:{base}" if base else commit], stdout=subprocess.PIPE
    )
    if tree.returncode:
        print(f"{root.name}: no folder {base}", file=sys.stderr)
    else:
        subprocess.run(["tar", "-x", "-C", root], input=tree.stdout, check=True)


def _mean_of(scores: Sequence[tuple[Annotated, float]], repository: str = "", half: str = "", kind: str = "") -> str:
    chosen = [
        score
        for query, score in scores
        if repository in ("", query.repository) and half in ("", query.half) and kind in ("", query.kind)
    ]
    return f"{mean(chosen):.4f} ({len(chosen)})"


if __name__ == "__main__":
    main(sys.argv[1:])
