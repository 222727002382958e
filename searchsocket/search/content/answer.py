"""Answers with content, in the shape that agents expect: data, status, continuation, hints."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import ConfigDict, Field

from searchsocket.search.wire import Age, ChangedSince, ForTheTrusted, Href, RouteFile, Score, Url, Wire


class Documented(Wire):
    """Base of answers whose JSON keys are the field names, in snake_case."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict()


@dataclass(frozen=True, slots=True)
class SourceLines(Documented):
    """Lines of a passage in its source file."""

    file: str | None  # null if unknown
    first_line: int | None  # from 1; null if unknown
    last_line: int | None  # included


@dataclass(frozen=True, slots=True)
class ContentSource(Documented):
    """Origin of a passage or document: a page of the site, or lines of a file."""

    url: Annotated[Url | None, Field(description="URL path of the page; null for source code.")]
    href: Annotated[Href | None, Field(description="Link to the section; null for source code.")]
    title: str
    section: Annotated[str, Field(description="Heading or symbol; empty before the first heading.")]
    route_file: RouteFile
    lines: Annotated[SourceLines | None, ForTheTrusted(SourceLines)]
    changed_since: ChangedSince = None


@dataclass(frozen=True, slots=True)
class RawScore(Documented):
    """Parts of `relevance_score`: semantic x boost, divided by the maximum boost."""

    semantic: Annotated[float, Field(ge=0, le=1, description="Cosine similarity, at least 0; 1 without concepts.")]
    boost: Annotated[float, Field(ge=1, description="Factor for exact terms: 1.5 per distinct term.")]
    score: Annotated[float, Field(ge=0)]
    exact_terms: Annotated[tuple[str, ...], Field(description="Exact terms in the chunk.")]


@dataclass(frozen=True, slots=True)
class ContentResult(Documented):
    """One chunk."""

    chunk_id: Annotated[str, Field(examples=["/docs/install#setup~0@1f0c2a9b3d4e"])]
    file_path: Annotated[str, Field(description="Path for requests about this document.", examples=["docs/install.md"])]
    content: Annotated[str, Field(description="The chunk's whole text.")]
    relevance_score: Score
    chunk_index: Annotated[int, Field(ge=0, description="Position in its document.")]
    document_keywords: tuple[str, ...]
    raw: RawScore
    source: ContentSource
    truncated: Annotated[bool, Field(description="True if `content` alone exceeds `max_tokens` and was cut.")]


@dataclass(frozen=True, slots=True)
class Statistics(Documented):
    total_results: Annotated[int, Field(ge=0, description="Number of all results, over all parts.")]
    files_covered: Annotated[tuple[str, ...], Field(description="Documents of these results.")]
    avg_relevance: Annotated[float, Field(ge=0, le=1, description="Of these results.")]
    search_interpretation: str
    tokens: Annotated[int, Field(ge=0, description="Approximate size of these results in tokens.")]


@dataclass(frozen=True, slots=True)
class ContentData(Documented):
    results: tuple[ContentResult, ...]
    statistics: Statistics


@dataclass(frozen=True, slots=True)
class Status(Documented):
    message: str
    success: bool = True
    code: int = 200


@dataclass(frozen=True, slots=True)
class Continuation(Documented):
    has_more: bool
    next_token: str | None  # null at the end
    truncated: Annotated[bool, Field(description="True if `max_tokens` ended this part before `limit`.")] = False


@dataclass(frozen=True, slots=True)
class NavigationHints(Documented):
    next_actions: tuple[str, ...] = ()
    related_queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexFacts(Documented):
    """Index that answered."""

    folder_id: str
    scope: str
    generation: str
    published_at: str
    age_seconds: Age


@dataclass(frozen=True, slots=True)
class ContentAnswer(Documented):
    """Chunks by falling relevance."""

    data: ContentData
    status: Status
    continuation: Continuation
    index: IndexFacts
    navigation_hints: NavigationHints = field(default_factory=NavigationHints)
