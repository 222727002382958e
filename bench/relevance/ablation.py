"""What each part of the ranking is worth: the product itself, with one part switched off or alone."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from unittest.mock import patch

from bench.relevance.product import Indexes, Product
from bench.relevance.rankers import Ranker
from searchsocket.embedders.builtin import BuiltinEmbedder
from searchsocket.search import engine
from searchsocket.search.ranking import fusion
from searchsocket.search.ranking.fusion import Shares
from searchsocket.settings.model import RankingSettings
from searchsocket.stores.words import keywords

NO_BOOSTS = RankingSettings(enable_incoming_link_boost=False, enable_depth_boost=False)
SHARES = {
    "meaning": Shares(1, 0, 0),
    "words": Shares(0, 1, 0),
    "pages": Shares(0, 0, 1),
    "meaning+words": Shares(1 / 2, 1 / 2, 0),
    "meaning+pages": Shares(1 / 2, 0, 1 / 2),
    "words+pages": Shares(0, 1 / 2, 1 / 2),
    "thirds": Shares(1 / 3, 1 / 3, 1 / 3),
    "few-words": fusion.FEW_WORDS,
    "many-words": fusion.MANY_WORDS,
}


def ablation() -> list[Ranker]:
    """The product, and what is left of it without each part; the collections are indexed once for all of them."""
    indexes = Indexes(BuiltinEmbedder())
    made: list[Ranker] = [Product("product", indexes)]
    made += [Product(name, indexes, change=_shares(shares)) for name, shares in SHARES.items()]
    made += [
        Product("no-boosts", indexes, NO_BOOSTS),
        Product("no-exact", indexes, change=_replaced(engine, "exact_scores", lambda _, found, __: 0 * found.titled)),
        Product("no-completions", indexes, change=_replaced(keywords, "_PREFIX_BOOST", 0.0)),
        Product("completions-0.2", indexes, change=_replaced(keywords, "_PREFIX_BOOST", 0.2)),
        Product("no-rejection", indexes, change=_replaced(engine, "is_enough", lambda *_: True)),
    ]
    return made


def _replaced(module: ModuleType, name: str, value: object) -> Callable[[], AbstractContextManager[object]]:
    return lambda: patch.object(module, name, value)


def _shares(shares: Shares) -> Callable[[], AbstractContextManager[object]]:
    @contextmanager
    def change() -> Iterator[None]:
        with patch.multiple(fusion, FEW_WORDS=shares, MANY_WORDS=shares):
            yield

    return change
