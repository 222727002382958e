"""`python -m bench.code.gate BENCHMARKS REPOSITORIES FOLDER COLLECTIONS`: how often code answers what it should not.

The repositories are those of `bench.code.annotated`, whose queries are true ones, as are those of the collections of
code. Each repository also gets questions about other fields and other software, and nonsense. Prints the share of each
kind that is given anything by the rule that ships, and by a model that is fitted to the other repositories.
"""

import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from bench.code.annotated import annotated_repositories
from bench.code.searches import our_code
from bench.code.symbols import indexed
from bench.code.trees import CODE, grow
from bench.gate.fit import Array, logistic_weights
from bench.gate.nonsense import nonsense
from bench.gate.queries import OFF_TOPIC_FILES, off_topic
from bench.relevance.collection import load_named, names_of
from searchsocket.extensions.code.search import engine
from searchsocket.extensions.code.search.answer import CodeQuery
from searchsocket.extensions.code.search.engine import CodeFeatures, code_features
from searchsocket.extensions.code.serving.service import CodeService
from searchsocket.search.bounds import MAX_QUERY_CHARS

SEED = 3
OF_EACH = {"off-topic": 30, "software": 20, "fresh": 10, "fresh software": 10}  # per repository
_OF_NONSENSE = 2  # of each of ten kinds
_FITTED = {"true": 1.0, "off-topic": 1.0, "software": 0.7, "nonsense": 0.3}  # weights; the fresh ones are not fitted
_DECAY = 1e-6
REFUSED = 0.004  # share of true queries, of repositories left out


class Asked(NamedTuple):
    """A query with what the product made of it."""

    repository: str
    kind: str
    features: CodeFeatures | None  # None: decided without the model
    is_answered: bool


def main(arguments: Sequence[str]) -> None:
    """Ask all queries and print both tables."""
    benchmarks, repositories, folder, collections = map(Path, arguments)
    source = random.Random(SEED)
    queries = {kind: off_topic(file) for kind, file in OFF_TOPIC_FILES.items()}
    asked: list[Asked] = []
    with TemporaryDirectory() as grown:
        services = [*_annotated(benchmarks, repositories, folder), *_collections(collections, Path(grown))]
        for name, code, own in services:
            others = [(kind, q) for kind, count in OF_EACH.items() for q in source.sample(queries[kind], count)]
            noise = [("nonsense", q) for _, q in nonsense(source.randrange(10**6), _OF_NONSENSE)]
            asked += [_ask(name, kind, code, q) for kind, q in [*(("true", q) for q in own), *others, *noise]]
            print(name, file=sys.stderr)
    _print("as it ships", asked, [one.is_answered for one in asked])
    scores, weights = _left_out(asked)
    is_true = [score for one, score in zip(asked, scores, strict=True) if one.kind == "true" and one.features]
    threshold = float(np.quantile(is_true, REFUSED, method="lower"))
    decisions = [
        score >= threshold if one.features else one.is_answered for one, score in zip(asked, scores, strict=True)
    ]
    _print(f"fitted to other repositories, refused below {threshold:.2f}", asked, decisions)
    print("fitted to all:", dict(zip(CodeFeatures._fields, weights.round(2).tolist(), strict=True)))


def _annotated(benchmarks: Path, repositories: Path, folder: Path) -> Iterator[tuple[str, CodeService, list[str]]]:
    for repository in annotated_repositories(benchmarks, repositories, folder):
        yield repository.name, indexed(repository.root, os.environ), [query.text for query in repository.queries]


def _collections(folder: Path, grown: Path) -> Iterator[tuple[str, CodeService, list[str]]]:
    for name in (name for name in names_of(folder) if name.startswith(CODE)):
        collection = load_named(folder, name)
        for tree in grow(collection, grown):
            own = [query.text[:MAX_QUERY_CHARS] for query in collection.queries if query.scope == tree.scope]
            yield name, our_code(tree.root), own


def _ask(repository: str, kind: str, code: CodeService, q: str) -> Asked:
    features: list[CodeFeatures | None] = []

    def remember(*args: object, **more: object) -> CodeFeatures | None:
        features.append(code_features(*args, **more))  # type: ignore[arg-type]
        return features[-1]

    with patch.object(engine, "code_features", remember):
        quality = code.search(CodeQuery(q), "main").quality
    return Asked(repository, kind, features[0] if features else None, quality == "answered")


def _left_out(asked: Sequence[Asked]) -> tuple[list[float], Array]:
    """Return the score of each query by the weights of the other repositories, and the weights of all."""
    table = np.array([one.features or [0.0] * len(CodeFeatures._fields) for one in asked])
    right = np.array([one.kind == "true" for one in asked], np.float64)
    weights = np.array([_FITTED.get(one.kind, 0.0) * (one.features is not None) for one in asked])
    names = np.array([one.repository for one in asked])

    def fitted(rows: Array) -> Array:
        return logistic_weights(table[rows], right[rows], weights[rows] / weights[rows].sum(), _DECAY)

    scores = np.zeros(len(asked))
    for name in sorted(set(names.tolist())):
        scores[names == name] = table[names == name] @ fitted(names != name)
    return scores.tolist(), fitted(names != "")


def _print(title: str, asked: Sequence[Asked], decisions: Sequence[bool]) -> None:
    given: dict[str, list[bool]] = defaultdict(list)
    for one, is_answered in zip(asked, decisions, strict=True):
        given[one.kind].append(is_answered)
    print(title)
    for kind, answers in given.items():
        print(f"  {kind:15} {len(answers):5} queries, given anything {sum(answers) / len(answers):.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
