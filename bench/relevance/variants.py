"""The ranking variants that the bench knows by name."""

from collections.abc import Callable, Sequence
from pathlib import Path

from bench.relevance.ablation import ablation
from bench.relevance.product import Indexes, Product
from bench.relevance.rankers import Bm25, Dense, Ranker, ReciprocalRank
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.onnx import OnnxEmbedder

Make = Callable[[Path | None, Path | None], Ranker | None]


def _minilm(minilm: Path | None, cache: Path | None) -> Ranker | None:
    return Dense("minilm", OnnxEmbedder(minilm), cache) if minilm else None


def _rrf(minilm: Path | None, cache: Path | None) -> Ranker | None:
    dense = _minilm(minilm, cache)
    return ReciprocalRank("bm25+minilm rrf", [Bm25(), dense]) if dense else None


def _builtin(minilm: Path | None, cache: Path | None) -> Ranker | None:
    return Dense("builtin", BuiltinEmbedder())


def _product_hash(minilm: Path | None, cache: Path | None) -> Ranker | None:
    from searchsocket.models.embedders.hash import HashEmbedder

    return Product("product hash", Indexes(HashEmbedder()))


def _product_builtin(minilm: Path | None, cache: Path | None) -> Ranker | None:
    return Product("product builtin", Indexes(BuiltinEmbedder()))


def _product_minilm(minilm: Path | None, cache: Path | None) -> Ranker | None:
    return Product("product minilm", Indexes(OnnxEmbedder(minilm), cache)) if minilm else None


ABLATION = "ablation"
# A name -> what makes the ranker; None when it needs a model that was not given.
VARIANTS: dict[str, Make] = {
    "bm25": lambda minilm, cache: Bm25(),
    "minilm": _minilm,
    "rrf": _rrf,
    "builtin": _builtin,
    "product-hash": _product_hash,
    "product-builtin": _product_builtin,
    "product-minilm": _product_minilm,
}


def variants(names: Sequence[str], *, minilm: Path | None, cache: Path | None) -> list[Ranker]:
    """The named rankers; those that need the MiniLM model only when its folder is given; `ablation` stands for many.

    Raises:
        SystemExit: A name is not known.
    """
    unknown = [name for name in names if name not in VARIANTS and name != ABLATION]
    if unknown:
        raise SystemExit(f"no variant {', '.join(unknown)}; there are {', '.join([*VARIANTS, ABLATION])}")
    made = [VARIANTS[name](minilm, cache) for name in names if name != ABLATION]
    return [*(ranker for ranker in made if ranker is not None), *(ablation(minilm, cache) if ABLATION in names else ())]
