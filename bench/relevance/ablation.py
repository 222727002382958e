"""The worth of each part of the ranking: the product with one part switched off or replaced."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from bench.relevance.product import Indexes, Product
from bench.relevance.rankers import Ranker
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.onnx import OnnxEmbedder
from searchsocket.project.settings.model import RankingSettings
from searchsocket.search import engine, verdict
from searchsocket.search.ranking import names, signals, weights
from searchsocket.search.ranking.weights import WEIGHTS, Shares
from searchsocket.stores.words import keywords

Replaced = tuple[object, str, object]  # module, name, value

SETTINGS = {
    "no boosts": RankingSettings(enable_incoming_link_boost=False, enable_depth_boost=False),
    "posts as guides": RankingSettings(demote_occasions=False),
    "copies shown": RankingSettings(collapse_alike=False),
}
LISTS = {
    "meaning alone": Shares(1, 0, 0),
    "words of chunks alone": Shares(0, 1, 0),
    "words of pages alone": Shares(0, 0, 1),
    "no meaning": Shares(0, 1 / 2, 1 / 2),
    "no words of chunks": Shares(0.6, 0, 0.4),
    "no words of pages": Shares(0.6, 0.4, 0),
    "a third each": Shares(1 / 3, 1 / 3, 1 / 3),
}
TOGETHER = ("SOME_WORDS", "MANY_WORDS", "READ_WHOLE")
PARTS: dict[str, Sequence[Replaced]] = {
    "one table for all models": [(engine, "shares_of", lambda q, *_, **__: weights.shares_of(q))],
    "many words as few": [(weights, "MANY_WORDS", weights.FEW_WORDS)],
    "nothing to the letter": [(signals, "exact_features", lambda _, found, __: {"title": 0 * found.titled})],
    "no words in names": [(names, "WEIGHTS", WEIGHTS._replace(all_names=0, slug=0, named=0, compared_title=0))],
    "headings as before": [(names, "WEIGHTS", WEIGHTS._replace(heading=0.3))],
    "no neighbouring words": [(signals, "WEIGHTS", WEIGHTS._replace(neighbours=0.0))],
    "no words together": [(weights, name, getattr(weights, name)._replace(together=0.0)) for name in TOGETHER],
    "no second section": [(signals, "WEIGHTS", WEIGHTS._replace(second=0.0))],
    "no completions": [(keywords, "_PREFIX_BOOST", 0.0)],
    "nothing refused": [(verdict, "is_enough", lambda *_: True)],
}


def ablation(minilm: Path | None = None, cache: Path | None = None) -> list[Ranker]:
    """The product, and what is left of it without each part; the collections are indexed once for all of them.

    Args:
        minilm: Folder of the MiniLM model, which is asked then instead of the built-in one.
    """
    embedder: Embedder = OnnxEmbedder(minilm) if minilm else BuiltinEmbedder()
    indexes = Indexes(embedder, cache if minilm else None)
    made: list[Ranker] = [Product("product", indexes)]
    made += [Product(name, indexes, settings) for name, settings in SETTINGS.items()]
    made += [Product(name, indexes, change=_one_table(table)) for name, table in LISTS.items()]
    made += [Product(name, indexes, change=_replaced(parts)) for name, parts in PARTS.items()]
    return made


def _replaced(parts: Sequence[Replaced]) -> Callable[[], AbstractContextManager[object]]:
    @contextmanager
    def change() -> Iterator[None]:
        with ExitStack() as stack:
            for module, name, value in parts:
                stack.enter_context(patch.object(module, name, value))
            yield

    return change


def _one_table(table: Shares) -> Callable[[], AbstractContextManager[object]]:
    return _replaced([(weights, name, table) for name in ("FEW_WORDS", "SOME_WORDS", "MANY_WORDS", "READ_WHOLE")])
