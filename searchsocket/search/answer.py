"""Answer to a search: the same shape for HTTP, command line and agents."""

from dataclasses import dataclass, field
from typing import Literal

from searchsocket.search.filters import FacetCounts
from searchsocket.search.shape import (
    ADDRESS,
    AGE,
    CHANGED_SINCE,
    CONFIDENCE,
    CONTINUATION_TOKEN,
    HREF,
    MARKS,
    QUALITY,
    SCORE,
    SNIPPET_HTML,
    TOTAL,
    TRUNCATED,
    URL,
    ChangedSince,
    PassageLines,
    Resolution,
    Revision,
    RouteFile,
    Wire,
)
from searchsocket.search.versions import AnswerVersions
from searchsocket.types import ChunkKind, CodeKind, GroupBy

Quality = Literal["answered", "weak", "rejected"]


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
    # Where the query is a name, names something that is there, or has neighbouring words as they stand there, see
    # `ranking/exact.py`, `ranking/pages.py`.
    exact: float
    weight: float
    rerank: float | None = field(
        default=None,
        metadata={
            "exclude_if": lambda score: score is None,
            "description": "Score of the reranker, scaled over its candidates; `fused` then has less weight.",
        },
    )


# An answer has thirty of this and ten of the next. Freezing them took a twentieth of a query, since every field of what
# is frozen is set by a call.
@dataclass(slots=True)
class Section(Wire):
    """Another matching section of the page."""

    href: str = field(metadata=HREF)
    anchor: str
    title: str  # "" for what stands before the first heading
    heading_path: tuple[str, ...]
    snippet: str
    snippet_html: str = field(metadata=SNIPPET_HTML)
    marks: tuple[tuple[int, int], ...] = field(metadata=MARKS)
    score: float = field(metadata=SCORE)
    source: PassageLines
    mirror: PassageLines
    ref: str  # survives edits elsewhere on the page


@dataclass(frozen=True, slots=True)
class AlikePage(Wire):
    """A page with the same text as a result."""

    url: str
    href: str = field(metadata=HREF)
    title: str


@dataclass(slots=True)
class Result(Wire):
    """One page, or one chunk."""

    url: str = field(metadata=URL)
    href: str = field(metadata=HREF)
    anchor: str
    title: str
    section_title: str
    heading_path: tuple[str, ...]
    snippet: str
    snippet_html: str = field(metadata=SNIPPET_HTML)
    marks: tuple[tuple[int, int], ...] = field(metadata=MARKS)
    score: float = field(metadata=SCORE)
    confidence: float = field(metadata=CONFIDENCE)
    route_file: RouteFile = field(metadata={"description": "Source file of the page; null without the key."})
    route_resolution: Resolution
    source: PassageLines = field(metadata={"description": "Lines in the content file; null without the key."})
    mirror: PassageLines = field(metadata={"description": "Lines in the mirror file."})
    scope: str
    generation: str
    age_seconds: float = field(metadata=AGE)
    tags: tuple[str, ...]
    language: str
    modified: str  # ISO 8601 as the page states it; "" when it does not
    ref: str = field(metadata={"description": "Id of the chunk; stable while its section stays the same."})
    sections: tuple[Section, ...]  # the one that opens, then by score; empty when grouped by chunk
    explanation: Explanation | None = None  # on request
    alike: tuple[AlikePage, ...] = field(
        default=(), metadata={"description": "Pages with the same text, left out of the results."}
    )
    version: str = field(
        default="",
        metadata={
            "exclude_if": lambda name: not name,
            "description": "Version of the documentation that `href` opens; absent if the page belongs to none.",
        },
    )
    versions: tuple[str, ...] = field(
        default=(),
        metadata={
            "exclude_if": lambda names: not names,
            "description": "All versions in which the page says the same, the one of `href` first.",
        },
    )
    changed_since: ChangedSince = field(default=None, metadata=CHANGED_SINCE)
    kind: ChunkKind | CodeKind = field(default="section", metadata={"exclude": True})  # of the chunk that opens
    code: tuple[tuple[int, int], ...] = field(default=(), metadata={"exclude": True})  # where `snippet` is code


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
    """Reason why an answer is incomplete or degraded."""

    code: str  # public and stable, e.g. `EMBEDDER_TOO_SLOW`
    message: str


@dataclass(frozen=True, slots=True)
class SearchMeta(Wire):
    """Generation, timings and notes of an answer."""

    timings_ms: Timings
    used_rerank: bool
    model_id: str
    generation: str
    published_at: str  # ISO 8601, UTC
    age_seconds: float
    source_revision: Revision = field(metadata={"description": "Indexed commit; null without the key or if unknown."})
    notes: tuple[Note, ...] = field(
        default=(), metadata={"description": "Reasons why the answer is incomplete or degraded."}
    )


@dataclass(frozen=True, slots=True)
class SearchAnswer(Wire):
    """Ranked results; an empty list is not an error."""

    q: str  # as it was run
    scope: str
    group_by: GroupBy
    results: tuple[Result, ...]
    total: int = field(metadata=TOTAL)
    meta: SearchMeta
    quality: Quality = field(default="answered", metadata=QUALITY)
    facets: FacetCounts | None = field(
        default=None,
        metadata={
            "exclude_if": lambda counts: counts is None,
            "description": "Number of pages per value, for each requested facet.",
        },
    )
    versions: AnswerVersions | None = field(
        default=None,
        metadata={
            "exclude_if": lambda versions: versions is None,
            "description": "Versions of the documentation; absent if the site has none.",
        },
    )
    truncated: bool = field(default=False, metadata=TRUNCATED)
    continuation_token: str | None = field(default=None, metadata=CONTINUATION_TOKEN)


@dataclass(frozen=True, slots=True)
class RelatedPage(Wire):
    """A related page, with the reason."""

    url: str = field(metadata=URL)
    href: str = field(metadata=ADDRESS)
    title: str
    description: str
    score: float = field(metadata=SCORE)
    meaning: float = field(
        metadata={"ge": 0, "le": 1, "description": "Similarity in meaning."}
    )  # cosine of its nearest chunk
    is_linked: bool = field(metadata={"description": "True if the page links to it."})
    is_neighbour: bool = field(metadata={"description": "True if it is in the same directory."})
    tags: tuple[str, ...]
    route_file: RouteFile
    route_resolution: Resolution


@dataclass(frozen=True, slots=True)
class RelatedAnswer(Wire):
    """Related pages, most similar first."""

    url: str
    scope: str
    generation: str
    age_seconds: float
    results: tuple[RelatedPage, ...]
    truncated: bool = field(default=False, metadata=TRUNCATED)
    continuation_token: str | None = field(default=None, metadata=CONTINUATION_TOKEN)
