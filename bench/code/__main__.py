"""`python -m bench.code`: our search of source code, BM25, BM25 with MiniLM, and semble, on the same queries.

Semble downloads its own model from a hub. Here it uses models that need no hub: the table of our built-in model, and
any folder in model2vec's format, such as `bench.code.distilled` makes. Run `pip install semble` first.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.code.searches import OurTable, Searched, ours, semble_with, static_model
from bench.code.trees import CODE
from bench.relevance import report
from bench.relevance.collection import load_named, names_of
from bench.relevance.metrics import evaluate
from bench.relevance.rankers import Ranker
from bench.relevance.variants import variants


def main(arguments: Sequence[str]) -> None:
    """Rank every collection of code with every search, and print the table and how many queries got no answer."""
    options = _parser().parse_args(arguments)
    searched = [Searched("ours", ours)]
    if options.minilm:
        searched.append(Searched("ours, MiniLM", partial(ours, minilm=options.minilm)))
    if not options.alone:
        searched.append(Searched("semble, our table", semble_with(OurTable(), "ours")))
        searched += [
            Searched(f"semble, {folder.name}", semble_with(static_model(folder), str(folder)))
            for folder in options.models
        ]
    baselines = variants([] if options.alone else ["bm25", "rrf"], minilm=options.minilm, cache=options.cache)
    rankers: list[Ranker] = [*searched, *baselines]
    rows = []
    for name in (name for name in names_of(options.collections) if name.startswith(CODE)):
        collection = load_named(options.collections, name)
        for ranker in rankers:
            quality = evaluate(collection, ranker(collection))
            rows += [report.Row(name, kind, ranker.name, value) for kind, value in quality.items()]
            print(f"{name} {ranker.name}", file=sys.stderr)
    print(report.table(rows, by_class=options.by_class))
    for each in searched:
        refused = ", ".join(f"{name} {count}" for name, count in each.refused.items())
        print(f"{each.name}: without an answer: {refused}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.code", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collections", type=Path, help="a folder of collections")
    parser.add_argument("--models", type=Path, nargs="*", default=[], help="folders of models for semble")
    parser.add_argument("--alone", action="store_true", help="run only our search")
    parser.add_argument("--minilm", type=Path, help="folder of the MiniLM model, for BM25 with MiniLM")
    parser.add_argument("--cache", type=Path, help="folder that caches MiniLM vectors between runs")
    parser.add_argument("--by-class", action="store_true", help="also print a line per query class")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
