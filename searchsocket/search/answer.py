"""What a query is answered with; every surface (CLI, HTTP, agents) translates this."""

from dataclasses import dataclass
from typing import Literal

from searchsocket.search.quoting.snippet import Snippet
from searchsocket.search.related import RelatedPage
from searchsocket.types import ChunkKind, GroupBy, RouteResolution


@dataclass(frozen=True, slots=True)
class Explanation:
    """Every part of one score: (fused + links + depth + exact) x weight, brought to [0, 1].

    What brings it there is one divisor for the whole answer.
    """

    cosine: float  # as the store gave it
    bm25: float  # as the store gave it; 0 when no word was found
    vector: float  # cosine scaled over this query's candidates, in [0, 1]
    keyword: float  # bm25 scaled likewise
    page_bm25: float  # of the whole page; 0 when it is not among the best pages
    page: float  # page_bm25 scaled likewise
    fused: float  # vector, keyword and page by their shares, see `search/fusion.py`
    links: float
    depth: float
    exact: float  # where the query is the title, or names something that the chunk holds, see `search/exact.py`
    weight: float


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page that answers too."""

    href: str  # url#anchor
    anchor: str
    title: str  # "" for what stands before the first heading
    heading_path: tuple[str, ...]
    snippet: Snippet
    score: float
    ref: str  # survives edits elsewhere on the page


@dataclass(frozen=True, slots=True)
class Result:
    """One page, as its best chunk answers; or one chunk (spec 14.1)."""

    url: str
    href: str  # url#anchor: opens at the section
    anchor: str
    title: str
    section_title: str
    heading_path: tuple[str, ...]
    snippet: Snippet
    score: float  # in [0, 1], higher is better; comparable only within one answer
    kind: ChunkKind  # of the best chunk
    ref: str
    tags: tuple[str, ...]
    language: str
    modified: str  # ISO 8601 as the page states it; "" when it does not
    route_file: str  # "" when no route made the page
    route_resolution: RouteResolution
    scope: str
    generation: str
    age_s: float  # since the generation was published
    sections: tuple[Section, ...] = ()  # by score; empty when grouped by chunk
    explanation: Explanation | None = None  # on request


Quality = Literal["answered", "rejected"]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The results of one query over one generation."""

    q: str  # as it was run
    scope: str
    generation: str
    published_at: str  # ISO 8601, UTC
    age_s: float
    results: tuple[Result, ...]
    timings_ms: dict[str, float]  # embed, vector, keyword, rerank, total
    model_id: str
    group_by: GroupBy
    used_rerank: bool = False
    quality: Quality = "answered"  # "rejected": what was found is too weak to be shown, so there are no results


@dataclass(frozen=True, slots=True)
class RelatedAnswer:
    """The pages near one page, in one generation."""

    url: str
    scope: str
    generation: str
    published_at: str  # ISO 8601, UTC
    age_s: float
    pages: tuple[RelatedPage, ...]  # nearest first
