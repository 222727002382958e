"""`python -m bench.relevance`: the quality of rankings over relevance collections, as a table."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from bench.relevance import intervals, report
from bench.relevance.collection import load_all
from bench.relevance.example_site import example_site
from bench.relevance.metrics import evaluate
from bench.relevance.peers import PEERS, Peer
from bench.relevance.rankers import Ranker
from bench.relevance.typed_names import half_typed, with_product_before, with_product_behind, with_typos
from bench.relevance.variants import ABLATION, VARIANTS, variants
from searchsocket.types import Scores

HERE = Path(__file__).parent
RESULTS = HERE / "results.tsv"


def main(arguments: Sequence[str]) -> None:
    """Rank every collection with every variant, print the tables, and write the totals with `--keep`."""
    options = _parser().parse_args(arguments)
    chosen = [name for name in options.variants.split(",") if name]
    rankers: list[Ranker] = variants(chosen, minilm=options.minilm, cache=options.cache)
    rankers += map(Peer, PEERS) if options.peers else ()
    names = set(options.only.split(",")) if options.only else set()
    rows: list[report.Row] = []
    scores: dict[tuple[str, str], Scores] = {}
    for collection in [example_site(), *(load_all(options.collections) if options.collections else [])]:
        if names and collection.name not in names:
            continue
        typed = [with_typos, half_typed, with_product_before, with_product_behind]
        changed = [change(collection) for change in typed] if options.typing else [collection]
        for one, ranker in product((one for one in changed if one.queries), rankers):
            ranking = ranker(one)
            quality = evaluate(one, ranking)
            scores[one.name, ranker.name] = intervals.by_query(one, ranking)
            rows += [report.Row(one.name, kind, ranker.name, value) for kind, value in quality.items()]
            print(f"{one.name} {ranker.name}", file=sys.stderr)
    print(report.table(rows, by_class=options.by_class))
    if options.intervals:
        print("\nfrom the first\n" + intervals.table(scores))
    if options.keep:
        report.keep(RESULTS, _commit(), rows)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.relevance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collections", type=Path, help="a folder of further collections")
    parser.add_argument("--only", default="", help="names of collections, comma-separated")
    parser.add_argument(
        "--variants", default=",".join(VARIANTS), help=f"one or more of {', '.join([*VARIANTS, ABLATION])}"
    )
    parser.add_argument("--minilm", type=Path, help="folder of the MiniLM model for the onnx variants")
    parser.add_argument("--cache", type=Path, help="folder that caches vectors of real models")
    parser.add_argument("--by-class", action="store_true", help="also print a line per query class")
    parser.add_argument("--intervals", action="store_true", help="differences from the first variant, bootstrapped")
    parser.add_argument(
        "--peers",
        action="store_true",
        help="also run search packages of npm (`npm ci` in bench/relevance/npm_peers first)",
    )
    parser.add_argument(
        "--typing", action="store_true", help="query page names with a typo, half typed and with the product's name"
    )
    parser.add_argument("--keep", action="store_true", help=f"write the totals to {RESULTS.name}, under this commit")
    return parser


def _commit() -> str:
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE)
    return git.stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1:])
