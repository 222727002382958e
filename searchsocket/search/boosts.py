"""What a page's place on the site adds to its score: minor, so that it decides between near-equals (spec 13.1)."""

import math
from dataclasses import dataclass
from functools import lru_cache

from searchsocket.search.numbers import clamp, finite
from searchsocket.settings.model import RankingSettings
from searchsocket.types import Record

_MANY_LINKS = 100  # from here on more links say nothing more
_WEIGHTS = (0.01, 100.0)  # an author's page weight beyond these says no more


@dataclass(frozen=True, slots=True)
class Boosts:
    """Parts that are added, and the page weight, which multiplies."""

    links: float
    depth: float
    weight: float


def boosts_of(record: Record, settings: RankingSettings) -> Boosts:
    """The boosts of one record; a part that the settings switch off is 0."""
    most_links = settings.weights.incoming_links if settings.enable_incoming_link_boost else 0.0
    most_depth = settings.weights.depth if settings.enable_depth_boost else 0.0
    return _boosts(record.incoming_links, record.depth, record.weight, most_links, most_depth)


@lru_cache(maxsize=1 << 14)
def _boosts(links: int, depth: int, weight: float, most_links: float, most_depth: float) -> Boosts:
    return Boosts(
        links=most_links * math.log1p(clamp(finite(links), 0, _MANY_LINKS)) / math.log1p(_MANY_LINKS),
        depth=most_depth / (1.0 + max(finite(depth), 0.0)),
        weight=clamp(finite(weight, 1.0), *_WEIGHTS),
    )


def largest_sum(settings: RankingSettings) -> float:
    """What `links` and `depth` can add up to, by which scores are brought back to [0, 1]."""
    weights = settings.weights
    return (weights.incoming_links if settings.enable_incoming_link_boost else 0.0) + (
        weights.depth if settings.enable_depth_boost else 0.0
    )
