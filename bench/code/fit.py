"""`python -m bench.code.fit BENCHMARKS REPOSITORIES FOLDER COLLECTIONS`: test other weights for code.

The weights of `searchsocket.extensions.code.search.ranking` are moved one at a time while the mean quality of one half
rises: semble's queries by semble's metric (see `bench.code.annotated`), and nDCG@10 of the collections of code.
`commits` is split by repository, the others by every second query. The bench prints both halves for the weights that
ship, for each of them removed, and for the weights that either half chose. The shipped weights are round numbers
between those two. Chunks of one file are compared by weights of their own, which this bench does not move: see
`bench.agents.everyday`.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest.mock import patch

from bench.code.annotated import HALVES, Span, annotated_repositories, quality
from bench.code.searches import our_code
from bench.code.symbols import indexed
from bench.code.trees import CODE, Tree, grow
from bench.relevance.collection import Collection, load_named, names_of
from searchsocket.extensions.code.search import engine
from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.search.candidates import CodeCandidates
from searchsocket.extensions.code.search.ranking import RankedCode, Weights, at_most_each, near_first, rank_code
from searchsocket.extensions.code.serving.service import CodeService
from searchsocket.quality.judgement import mean, ndcg
from searchsocket.search.bounds import MAX_CODE_TOP_K
from searchsocket.types import Lines

_SEMBLE = "semble"
_TOP_K, _PER_FILE = 10, CodeQuery("q").max_per_file
_STEPS = (0.1, 0.05)
_SHARE = {_SEMBLE: 3, "commits": 2}  # of a set in the mean; 1 for the others


class JudgedQuery(NamedTuple):
    """A query with its candidates."""

    set: str
    half: str
    q: str
    symbols: Sequence[str]
    candidates: CodeCandidates
    score: Callable[[Sequence[RankedCode]], float]  # of a ranking


def main(arguments: Sequence[str]) -> None:
    benchmarks, repositories, folder, collections = map(Path, arguments)
    with TemporaryDirectory() as grown:
        queries = [*_annotated(benchmarks, repositories, folder), *_collections(collections, Path(grown))]
    shipped = Weights()
    _print("shipped", shipped, queries)
    for name in Weights._fields:
        _print(f"no {name}", shipped._replace(**{name: 0.0}), queries)
    for half in HALVES:
        _print(f"fitted to {half}", _fitted(shipped, [query for query in queries if query.half == half]), queries)


def _fitted(weights: Weights, queries: Sequence[JudgedQuery]) -> Weights:
    best = _mean(_measured(weights, queries))
    for step in _STEPS:
        for name in Weights._fields:
            for sign in (1, -1):
                while (value := round(getattr(weights, name) + sign * step, 2)) >= 0:
                    moved = weights._replace(**{name: value})
                    if (mean := _mean(_measured(moved, queries))) <= best:
                        break
                    best, weights = mean, moved
    return weights


def _measured(weights: Weights, queries: Sequence[JudgedQuery]) -> dict[tuple[str, str], float]:
    """The mean quality by set and half."""
    scores: dict[tuple[str, str], list[float]] = {}
    for query in queries:
        ranked = near_first(rank_code(query.candidates, query.q, query.symbols, weights), query.q)
        scores.setdefault((query.set, query.half), []).append(query.score(ranked))
    return {key: mean(values) for key, values in scores.items()}


def _mean(measured: Mapping[tuple[str, str], float]) -> float:
    shares = {key: _SHARE.get(key[0].partition("_")[0], 1) for key in measured}
    return sum(shares[key] * value for key, value in measured.items()) / sum(shares.values())


def _print(name: str, weights: Weights, queries: Sequence[JudgedQuery]) -> None:
    measured = _measured(weights, queries)
    cells = [f"{key[0]} {key[1]} {value:.4f}" for key, value in sorted(measured.items())]
    print(f"{name} {tuple(weights)}: {', '.join(cells)}", flush=True)


def _annotated(benchmarks: Path, repositories: Path, folder: Path) -> Iterator[JudgedQuery]:
    for repository in annotated_repositories(benchmarks, repositories, folder):
        code = indexed(repository.root, os.environ)
        for query in repository.queries:
            candidates, symbols = _candidates(code, query.text, _TOP_K)
            spans, urls = _spans(code, candidates), candidates.facts.url

            def score(
                ranked: Sequence[RankedCode],
                spans: Sequence[Span] = spans,
                urls: Sequence[str] = urls,
                answers: Sequence[Span] = query.answers,
            ) -> float:
                return quality([spans[one.position] for one in at_most_each(ranked, urls, _PER_FILE, _TOP_K)], answers)

            yield JudgedQuery(_SEMBLE, query.half, query.text, symbols, candidates, score)


def _collections(folder: Path, grown: Path) -> Iterator[JudgedQuery]:
    for name in (name for name in names_of(folder) if name.startswith(CODE)):
        collection = load_named(folder, name)
        for at, tree in enumerate(grow(collection, grown)):
            yield from _of_tree(collection, tree, at)


def _of_tree(collection: Collection, tree: Tree, at: int) -> Iterator[JudgedQuery]:
    code = our_code(tree.root)
    is_only = len({document.scope for document in collection.documents}) == 1
    for number, query in enumerate(query for query in collection.queries if query.scope == tree.scope):
        candidates, symbols = _candidates(code, query.text, MAX_CODE_TOP_K)
        ids = [tree.ids[url[1:]] for url in candidates.facts.url]

        def score(
            ranked: Sequence[RankedCode],
            ids: Sequence[str] = ids,
            excluded: frozenset[str] = query.exclude,
            grades: Mapping[str, int] = collection.grades[query.id],
        ) -> float:
            ranking = dict.fromkeys(ids[one.position] for one in ranked)
            return ndcg([each for each in ranking if each not in excluded], grades)

        half = HALVES[(number if is_only else at) % 2]
        yield JudgedQuery(collection.name, half, query.text, symbols, candidates, score)


def _candidates(code: CodeService, q: str, top_k: int) -> tuple[CodeCandidates, Sequence[str]]:
    """The candidates of a query."""
    with patch.object(engine, "rank_code", wraps=rank_code) as ranking:
        code.search(CodeQuery(q, top_k), "main")
    candidates, _, symbols = ranking.call_args.args
    return candidates, symbols


def _spans(code: CodeService, candidates: CodeCandidates) -> list[Span]:
    reader, _ = code.engine.opened(code.home.scope_named("main"))
    lines = [record.chunk.at for record in reader.catalogue.records(list(candidates.ids))]
    return [
        Span(url[1:], at.first, at.last)
        for url, at in zip(candidates.facts.url, lines, strict=True)
        if isinstance(at, Lines)
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
