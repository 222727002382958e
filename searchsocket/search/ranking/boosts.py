"""Boosts of pages by their facts: each is registered once, in `BOOSTS`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from searchsocket.stores.base.index_reader import Facts
from searchsocket.types import PageFacts, Scores

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings

_MANY_LINKS = 100  # further links do not count
_LOGARITHMS = np.array([math.log1p(links) for links in range(_MANY_LINKS + 1)])
_BROWSER_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Boost:
    """A bonus of pages for facts of them. Scores, their parts and their explanation contain all entries of `BOOSTS`."""

    name: str  # in `explain`
    about: str  # its description in the API
    facts: Sequence[str]  # columns of `Facts`; a new one is a field there
    weight: Callable[["RankingSettings"], float]  # the largest bonus; 0 = off
    score: Callable[..., Scores]  # of the columns, in [0, 1]
    in_browser: bool = True  # search without a server ranks by it too


def _links(incoming_links: ArrayLike) -> Scores:
    links = np.minimum(np.maximum(incoming_links, 0), _MANY_LINKS)
    scores: Scores = _LOGARITHMS[links] / _LOGARITHMS[_MANY_LINKS]
    return scores


def _depth(depth: ArrayLike) -> Scores:
    scores: Scores = 1.0 / (1.0 + np.maximum(depth, 0))
    return scores


BOOSTS = (
    Boost(
        name="links",
        about="links from other pages",
        facts=["incoming_links"],
        weight=lambda settings: settings.weights.incoming_links if settings.enable_incoming_link_boost else 0.0,
        score=_links,
    ),
    Boost(
        name="depth",
        about="short path of the page",
        facts=["depth"],
        weight=lambda settings: settings.weights.depth if settings.enable_depth_boost else 0.0,
        score=_depth,
    ),
)


@dataclass(frozen=True, slots=True)
class Boosts:
    """The boosts of some records, by name."""

    columns: Mapping[str, Scores]
    most: float  # maximum of their sum, to scale scores back to [0, 1]


def boosts_of(facts: Facts, settings: "RankingSettings") -> Boosts:
    """Return the boosts of some records; one that the settings switch off is 0."""
    columns = _columns(BOOSTS, settings, lambda name: getattr(facts, name), len(facts.order))
    return Boosts(columns, _sum_of_weights(settings))


def browser_boosts(pages: Sequence[PageFacts], settings: "RankingSettings") -> list[float]:
    """Return the sum of the boosts of each page that search without a server has too."""
    boosts = [boost for boost in BOOSTS if boost.in_browser]

    def column(name: str) -> Any:
        return np.array([getattr(page, name) for page in pages])

    total = sum(_columns(boosts, settings, column, len(pages)).values(), np.zeros(len(pages)))
    return [round(float(value), _BROWSER_DIGITS) for value in total]


def _columns(
    boosts: Sequence[Boost], settings: "RankingSettings", column: Callable[[str], Any], count: int
) -> Mapping[str, Scores]:
    """Return the bonus of each of `count` records by each boost; one without weight is 0, and reads no fact."""
    return {
        boost.name: weight * boost.score(*map(column, boost.facts)) if weight else np.zeros(count)
        for boost, weight in ((boost, boost.weight(settings)) for boost in boosts)
    }


def _sum_of_weights(settings: "RankingSettings") -> float:
    return sum(boost.weight(settings) for boost in BOOSTS)
