"""`python -m bench.gate`: shares of queries answered, called weak and refused; calibration of confidence."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.gate.fit import fit, reliability
from bench.gate.fit_answers import fit_answers
from bench.gate.judged import Judged, judge
from bench.gate.queries import asked_of, paraphrased_sites
from bench.gate.sites import load_site
from bench.gate.squeezed import Squeezed
from bench.relevance.collection import Collection, load_all
from bench.relevance.example_site import NAME, example_site
from bench.relevance.product import Indexes
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.models.embedders.onnx import OnnxEmbedder

MODELS = ("builtin", "minilm", "hash", "squeezed")


def main(arguments: Sequence[str]) -> None:
    """Ask everything of every collection with every model, and print the tables."""
    options = _parser().parse_args(arguments)
    judged: list[Judged] = []
    for name in options.models.split(","):
        of_model: list[Judged] = []
        for collection, is_site in _collections(options.collections, options.sites):
            if options.only and collection.name not in options.only.split(","):
                continue
            queries = asked_of(collection, is_site=is_site)
            of_model += judge(queries, Indexes(_embedder(name, options.minilm), options.cache), refuses=not options.fit)
            print(f"{name} {collection.name}", file=sys.stderr)
        print(f"\n{name}\n{_answers(of_model)}\n\n{_reliability(of_model)}")
        judged += of_model
    if options.fit:
        print("\nweights", fit(judged).round(2).tolist())
        print(f"\n{fit_answers(judged)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.gate", description=__doc__)
    parser.add_argument("--collections", type=Path, help="a folder of relevance collections")
    parser.add_argument("--sites", type=Path, help="a folder of built sites, for the paraphrases")
    parser.add_argument("--only", default="", help="names of collections, comma-separated")
    parser.add_argument("--models", default="builtin", help=f"one or more of {', '.join(MODELS)}, comma-separated")
    parser.add_argument("--minilm", type=Path, help="folder of the MiniLM model")
    parser.add_argument("--cache", type=Path, help="folder that caches vectors between runs")
    parser.add_argument("--fit", action="store_true", help="fit `ranking/confidence.py` and `answerable.py`")
    return parser


def _collections(collections: Path | None, sites: Path | None) -> Iterator[tuple[Collection, bool]]:
    yield example_site(), True
    for collection in load_all(collections) if collections else ():
        yield collection, collection.name.startswith("site_")
    for name in paraphrased_sites() if sites else ():
        if name != NAME and sites:
            yield load_site(sites, name), False


def _embedder(name: str, minilm: Path | None) -> Embedder:
    match name:
        case "builtin":
            return BuiltinEmbedder()
        case "hash":
            return HashEmbedder()
        case "squeezed":
            return Squeezed()
        case "minilm" if minilm:
            return OnnxEmbedder(minilm)
    raise SystemExit(f"no model {name}; there are {', '.join(MODELS)}, and minilm wants --minilm")


def _answers(judged: Sequence[Judged]) -> str:
    sets: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for one in judged:
        sets[one.collection, one.kind.partition(":")[0]].append(one)
    lines = [f"{'collection':20} {'queries':12} {'n':>5} answered  weak  rejected  recall@10  weak over a right first"]
    for (collection, kind), of_set in sets.items():
        counts = [sum(one.quality == quality for one in of_set) for quality in ("answered", "weak", "rejected")]
        recall = sum(one.recall for one in of_set) / len(of_set)
        lines.append(
            f"{collection:20} {kind:12} {len(of_set):5} {counts[0]:8} {counts[1]:5} {counts[2]:9}"
            + (f"  {recall:9.3f}  {_weak_and_right(of_set)}" if kind in ("true", "paraphrase", "short") else "")
        )
    return "\n".join(lines)


def _weak_and_right(judged: Sequence[Judged]) -> str:
    right = [one for one in judged if one.are_right[:1] == (True,)]
    return f"{sum(one.quality == 'weak' for one in right)} of {len(right)}"


def _reliability(judged: Sequence[Judged]) -> str:
    rows = (f"{low:9.1f}  {n:7}  {sure:.3f}  {right:.3f}" for low, n, sure, right in reliability(judged))
    return "\n".join(["confidence  results  mean   right", *rows])


if __name__ == "__main__":
    main(sys.argv[1:])
