"""`python -m bench.static_export.quality COLLECTIONS`: the quality of an export, on the judged sites of a folder."""

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.gate.queries import NONSENSE, asked_of
from bench.relevance.collection import Collection, load_named, names_of
from bench.relevance.metrics import evaluate
from bench.relevance.product import Indexes
from bench.relevance.typed_names import half_typed, with_typos
from bench.static_export.ranker import ask, export_of, ranking
from searchsocket.models.embedders.builtin import BuiltinEmbedder

CHANGES: dict[str, Callable[[Collection], Collection]] = {
    "all": lambda collection: collection,
    "typos": with_typos,
    "half typed": half_typed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", type=Path)
    folder = parser.parse_args().collections
    sites = [load_named(folder, name) for name in names_of(folder) if name.startswith("site_")]
    indexes = Indexes(BuiltinEmbedder())
    with TemporaryDirectory() as work:
        for name, change in CHANGES.items():
            scores = [
                evaluate(change(site), ranking(change(site), *export_of(site, indexes, Path(work))))["all"].ndcg10
                for site in sites
            ]
            print(f"nDCG@10 {name}: {sum(scores) / len(scores):.4f} ({', '.join(f'{one:.3f}' for one in scores)})")
        for site in sites:
            queries = [
                query for query in asked_of(site, is_site=True).queries if query.kind.startswith((NONSENSE, "true"))
            ]
            answers = ask(
                export_of(site, indexes, Path(work))[0], {query.id: {"q": query.text, "topK": 1} for query in queries}
            )
            for kind in ("true", NONSENSE):
                own = [answers[query.id]["results"] for query in queries if query.kind.startswith(kind)]
                print(f"{site.name}, {kind}: {sum(map(bool, own))} of {len(own)} answered")


if __name__ == "__main__":
    main()
