"""Boosts from a page's position on the site: small, so that they decide only between similar scores (spec 13.1)."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from searchsocket.search.ranking.exact import names_identifier
from searchsocket.search.ranking.listings import SHARE as LISTING_SHARE
from searchsocket.search.ranking.listings import is_listing
from searchsocket.search.ranking.occasions import SHARE as OCCASION_SHARE
from searchsocket.search.ranking.occasions import asks_for_occasion, is_occasion
from searchsocket.stores.base import Facts
from searchsocket.types import Scores

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings

_MANY_LINKS = 100  # further links do not count
_LOGARITHMS = np.array([math.log1p(links) for links in range(_MANY_LINKS + 1)])
_WEIGHTS = (0.01, 100.0)  # bounds of an author's page weight


@dataclass(frozen=True, slots=True)
class Boosts:
    """Added parts, and the page weight as a factor; columns."""

    links: Scores
    depth: Scores
    weight: Scores
    most: float  # maximum of `links` + `depth`, to scale scores back to [0, 1]


def boosts_of(facts: Facts, settings: "RankingSettings", q: str = "") -> Boosts:
    """Return the boosts of some records; a part that the settings switch off is 0.

    Args:
        q: The query. If it names an identifier, source listings are not demoted. If it may ask for a post or release
            notes, those are not demoted.
    """
    most_links = settings.weights.incoming_links if settings.enable_incoming_link_boost else 0.0
    most_depth = settings.weights.depth if settings.enable_depth_boost else 0.0
    links = np.minimum(np.maximum(facts.incoming_links, 0), _MANY_LINKS)
    weight = np.where(np.isfinite(facts.weight), facts.weight, 1.0)
    urls = set(facts.url)
    if settings.demote_listings and not names_identifier(q):
        weight = weight * _shares(facts.url, set(filter(is_listing, urls)), LISTING_SHARE)
    if settings.demote_occasions and not asks_for_occasion(q):
        weight = weight * _shares(facts.url, set(filter(is_occasion, urls)), OCCASION_SHARE)
    return Boosts(
        links=most_links * _LOGARITHMS[links] / _LOGARITHMS[_MANY_LINKS],
        depth=most_depth / (1.0 + np.maximum(facts.depth, 0)),
        weight=np.minimum(np.maximum(weight, _WEIGHTS[0]), _WEIGHTS[1]),
        most=most_links + most_depth,
    )


def _shares(urls: Sequence[str], less: Collection[str], share: float) -> Scores | float:
    """Return the factor of each record: `share` for the pages in `less`, otherwise 1."""
    return np.array([share if url in less else 1.0 for url in urls]) if less else 1.0
