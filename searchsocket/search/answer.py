"""What a query is answered with: the shape of every surface (HTTP, command line, agents)."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from searchsocket.search.filters import FacetCounts
from searchsocket.search.wire import (
    Address,
    Age,
    Confidence,
    Href,
    Marks,
    PassageLines,
    Resolution,
    Revision,
    RouteFile,
    Score,
    SnippetHtml,
    Url,
    Wire,
)
from searchsocket.types import ChunkKind, CodeKind, GroupBy


@dataclass(frozen=True, slots=True)
class Explanation(Wire):
    """score = (fused + second + links + depth + exact) x weight, in [0, 1]; fused: vector, keyword, page, by shares."""

    # What brings it to [0, 1] is one divisor for the whole answer.
    cosine: float  # as the store gave it; of a page that of its nearest chunk
    bm25: float  # as the store gave it; 0 when no word was found; of a page that of its best chunk
    vector: float  # cosine scaled over this query's candidates, in [0, 1]
    keyword: float  # bm25 scaled likewise
    page_bm25: float  # of the whole page; 0 when it is not among the best pages
    page: float  # page_bm25 scaled likewise
    fused: float  # vector, keyword and page by their shares, see `search/ranking/shares.py`
    second: float  # what a page gains by its second section, see `search/ranking/pages.py`
    links: float
    depth: float
    exact: (
        float  # where the query is a name, or names something that is there, see `ranking/exact.py`, `ranking/pages.py`
    )
    weight: float
    rerank: Annotated[
        float | None,
        Field(
            exclude_if=lambda score: score is None,
            description="What a reranker gave it, scaled over the candidates that it judged; `fused` counts less then.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Section(Wire):
    """A section of a page that answers too."""

    href: Href
    anchor: str
    title: str  # "" for what stands before the first heading
    heading_path: tuple[str, ...]
    snippet: str
    snippet_html: SnippetHtml
    marks: Marks
    score: Score
    source: PassageLines
    mirror: PassageLines
    ref: str  # survives edits elsewhere on the page


@dataclass(frozen=True, slots=True)
class AlikePage(Wire):
    """A page whose passage says the same as a result's."""

    url: str
    href: Href
    title: str


@dataclass(frozen=True, slots=True)
class Result(Wire):
    """One page, or one chunk."""

    url: Url
    href: Href
    anchor: str
    title: str
    section_title: str
    heading_path: tuple[str, ...]
    snippet: str
    snippet_html: SnippetHtml
    marks: Marks
    score: Score
    confidence: Confidence
    route_file: Annotated[RouteFile, Field(description="Source file of the page; null for callers without a key.")]
    route_resolution: Resolution
    source: Annotated[
        PassageLines, Field(description="Where its Markdown file says this; null for callers without a key.")
    ]
    mirror: Annotated[PassageLines, Field(description="Likewise its file in the mirror.")]
    scope: str
    generation: str
    age_seconds: Age
    tags: tuple[str, ...]
    language: str
    modified: str  # ISO 8601 as the page states it; "" when it does not
    ref: Annotated[str, Field(description="Names this piece of the page across edits elsewhere.")]
    sections: tuple[Section, ...]  # the one that opens, then by score; empty when grouped by chunk
    explanation: Explanation | None = None  # on request
    alike: Annotated[
        tuple[AlikePage, ...],
        Field(description="Pages whose passage says the same, which are no results of their own."),
    ] = ()
    kind: Annotated[ChunkKind | CodeKind, Field(exclude=True)] = "section"  # of the chunk that opens
    code: Annotated[tuple[tuple[int, int], ...], Field(exclude=True)] = ()  # where `snippet` is code


@dataclass(frozen=True, slots=True)
class Timings(Wire):
    """Milliseconds by part."""

    embed: float
    vector: float
    keyword: float
    rerank: float
    total: float


@dataclass(frozen=True, slots=True)
class Note(Wire):
    """Why an answer is less than it could be."""

    code: str  # public and stable, e.g. `EMBEDDER_TOO_SLOW`
    message: str


@dataclass(frozen=True, slots=True)
class SearchMeta(Wire):
    """How the answer came about."""

    timings_ms: Timings
    used_rerank: bool
    model_id: str
    generation: str
    published_at: str  # ISO 8601, UTC
    age_seconds: float
    source_revision: Annotated[
        Revision, Field(description="Commit that was indexed; null for callers without a key, and where none is known.")
    ]
    notes: Annotated[tuple[Note, ...], Field(description="Why the answer is less than it could be.")] = ()


Total = Annotated[
    int,
    Field(
        ge=0,
        description="How many results the query's candidates hold, over all offsets. Not all that match: a search by "
        "meaning ranks the nearest, and `topK` says how many of them are looked at.",
    ),
]
Truncated = Annotated[
    bool, Field(exclude_if=lambda is_so: not is_so, description="Whether `maxTokens` ended it before `topK`.")
]
ContinuationToken = Annotated[
    str | None,
    Field(exclude_if=lambda token: token is None, description="For the results that follow; absent where none do."),
]
Quality = Annotated[
    Literal["answered", "weak", "rejected"],
    Field(
        description="`weak`: nothing fits well, the best result's `confidence` is low; `rejected`: what was found is "
        "too weak to be given, so there are no results."
    ),
]


@dataclass(frozen=True, slots=True)
class SearchAnswer(Wire):
    """Ranked results; none when nothing answers, which is not an error."""

    q: str  # as it was run
    scope: str
    group_by: GroupBy
    results: tuple[Result, ...]
    total: Total
    meta: SearchMeta
    quality: Quality = "answered"
    facets: Annotated[
        FacetCounts | None,
        Field(exclude_if=lambda counts: counts is None, description="Of each facet that was asked for: value, pages."),
    ] = None
    truncated: Truncated = False
    continuation_token: ContinuationToken = None


@dataclass(frozen=True, slots=True)
class RelatedPage(Wire):
    """A page near another one, and why."""

    url: Url
    href: Address
    title: str
    description: str
    score: Score
    meaning: Annotated[float, Field(ge=0, le=1, description="How near in meaning.")]  # cosine of its nearest chunk
    is_linked: Annotated[bool, Field(description="The page links to it.")]
    is_neighbour: Annotated[bool, Field(description="It lies in the same directory.")]
    tags: tuple[str, ...]
    route_file: RouteFile
    route_resolution: Resolution


@dataclass(frozen=True, slots=True)
class RelatedAnswer(Wire):
    """Pages near a page, nearest first."""

    url: str
    scope: str
    generation: str
    age_seconds: float
    results: tuple[RelatedPage, ...]
    truncated: Truncated = False
    continuation_token: ContinuationToken = None
