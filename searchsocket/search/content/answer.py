"""Answers with content, in the shape that agents expect: data, status, continuation, hints."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.quoting.lines import source_of
from searchsocket.search.quoting.results import href, short_title
from searchsocket.search.wire import Age, ChangedSince, ForTheTrusted, Href, RouteFile, Score, Url, Wire
from searchsocket.types import Lines, PageFacts, Record


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
class FolderAnswer(Documented):
    """Base of the answers about one folder."""

    data: Any
    status: Status
    continuation: Continuation
    index: IndexFacts
    navigation_hints: NavigationHints


@dataclass(frozen=True, slots=True)
class ContentAnswer(FolderAnswer):
    """Chunks by falling relevance."""

    data: ContentData
    navigation_hints: NavigationHints = field(default_factory=NavigationHints)


def source_of_chunk(record: Record, folder: ContentFolder) -> ContentSource:
    """Return the page or file of a chunk, and its lines in the source file."""
    lines, at = source_of(record), record.chunk.at
    source_lines = SourceLines(lines.file, lines.first_line, lines.last_line) if lines.file else None
    return _source(record.page, folder, short_title(at.title), href_of(record), source_lines)


def source_of_page(page: PageFacts, folder: ContentFolder) -> ContentSource:
    """Return the page or file itself."""
    lines = SourceLines(page.source_file, None, None) if page.source_file else None
    return _source(page, folder, "", href(page) if folder.has_urls else None, lines)


def href_of(record: Record) -> str | None:
    """Return the link to a passage on its host; None for source code."""
    at = record.chunk.at
    return None if isinstance(at, Lines) else href(record.page, at.anchor)


def index_facts(folder: ContentFolder, age_seconds: float) -> IndexFacts:
    """Return the facts of the index that answered."""
    generation = folder.reader.generation
    return IndexFacts(folder.folder_id, generation.scope, generation.name, generation.published_at, age_seconds)


def _source(
    page: PageFacts, folder: ContentFolder, section: str, opens: str | None, lines: SourceLines | None
) -> ContentSource:
    url = None if opens is None else page.url
    return ContentSource(
        url, opens, short_title(page.title), section, page.route_file or None, lines, changed_of(page, folder)
    )


def changed_of(page: PageFacts, folder: ContentFolder) -> bool | None:
    """Return True if the source file of a page changed after it was indexed; None if unknown."""
    return folder.changed(page)
