"""`python -m training.ranking.dump OUT`: the features of the candidates of all queries, a file per site.

Each file has `features` (rows, features), `labels` (rows: the grade, 0 of pages that do not answer), `starts`
(queries + 1: where the rows of each query begin), `ideal` (queries: the greatest DCG@10), `kinds`, `queries`, `urls`,
and the `weights` that the scores were made with.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bench.relevance.collection import Collection, load_all
from bench.relevance.product import NOW, SCOPE, Indexes
from bench.relevance.tasks import tasks
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search import engine
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.rank import Ranking
from searchsocket.search.ranking.signals import RankingInput, rank_candidates
from searchsocket.search.ranking.weights import WEIGHTS
from training.ranking.documents import load, site_names
from training.ranking.features import FEATURES, page_features
from training.ranking.queries import mined

TOP_K = 50  # as many results as the bench asks for, so the same candidates


def main(arguments: Sequence[str]) -> None:
    options = _parser().parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for collection in _collections(options):
        path = options.out / f"{collection.name}.npz"
        if not path.exists():
            np.savez_compressed(path, **table(collection, Indexes(BuiltinEmbedder(), options.cache)))
            print(f"{collection.name} {len(collection.queries)}", file=sys.stderr, flush=True)


def table(collection: Collection, indexes: Indexes) -> dict[str, np.ndarray]:
    """The rows of all queries of a collection; pages that a query leaves out have none."""
    features, labels, starts, ideal, kinds, texts, urls = [], [], [0], [], [], [], []
    [indexed] = indexes.of(collection)
    queries = QueryVectors(lambda _, embedder=indexed.embedder: embedder)  # type: ignore[misc]
    search = engine.SearchEngine(indexed.store, queries, RankingSettings(), lambda: NOW)
    for query in collection.queries:
        grades = collection.grades.get(query.id)
        if not grades:
            continue
        with _noted() as noted:
            wanted = min(TOP_K + len(query.exclude), 100)
            search.search(SearchQuery(query.text[:MAX_QUERY_CHARS], wanted), SCOPE)
        for found, rows in noted:
            ids = [indexed.ids[url] for url in found]
            kept = [at for at, one in enumerate(ids) if one not in query.exclude]
            features.append(rows[kept].astype(np.float32))
            labels += [grades.get(ids[at], 0) for at in kept]
            urls += [ids[at] for at in kept]
        starts.append(len(labels))
        ideal.append(_dcg(sorted(grades.values(), reverse=True)))
        kinds.append(query.kind)
        texts.append(query.text)
    return {
        "features": np.concatenate(features), "labels": np.array(labels), "starts": np.array(starts),
        "ideal": np.array(ideal), "kinds": np.array(kinds), "queries": np.array(texts), "urls": np.array(urls),
        "names": np.array(list(FEATURES)), "weights": np.array(json.dumps(WEIGHTS._asdict())),
    }  # fmt: skip


def _dcg(grades: Sequence[int]) -> float:
    return float(sum(grade / np.log2(rank + 2) for rank, grade in enumerate(grades[:10])))


@contextmanager
def _noted() -> Iterator[list[tuple[list[str], np.ndarray]]]:
    noted: list[tuple[list[str], np.ndarray]] = []

    def note(given: RankingInput) -> Ranking:
        order = rank_candidates(given)
        if order.ranked:
            noted[:] = [page_features(given, order)]
        return order

    with patch.object(engine, "rank_candidates", note):
        yield noted


def _collections(options: argparse.Namespace) -> Iterator[Collection]:
    only = set(options.only.split(",")) if options.only else None
    if options.judged:
        yield from (one for one in load_all(options.judged) if not only or one.name in only)
        yield from (
            Collection(f"tasks_{one.name}", one.documents, one.queries, one.grades)
            for one in tasks(options.sites)
            if not only or f"tasks_{one.name}" in only
        )
    for name in site_names():
        if not only or name in only:
            yield mined(load(name, options.repositories, options.sites))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training.ranking.dump", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--repositories", type=Path, help="git directories of `sites.tsv`")
    parser.add_argument("--sites", type=Path, help="unpacked built sites of `sites.tsv`")
    parser.add_argument("--judged", type=Path, help="a folder of judged collections, which no model is fitted to alone")
    parser.add_argument("--cache", type=Path, help="where vectors are kept between runs")
    parser.add_argument("--only", default="", help="names, with commas")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
