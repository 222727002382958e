"""Content query, validated before any work is done; and its answer in the shape that agents expect."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from searchsocket.errors import InvalidRequest
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.continuation import DEFAULT_LIMIT, Continuations, check_bounds
from searchsocket.search.query import clean_text
from searchsocket.search.quoting.lines import source_of
from searchsocket.search.quoting.results import href, short_title
from searchsocket.search.wire import Age, ChangedSince, ForTheTrusted, Href, RouteFile, Score, Url, Wire
from searchsocket.types import Lines, PageFacts, Record

MAX_TERMS, MAX_TERM_CHARS = 20, 200
MAX_TOKEN_CHARS = 40_000  # of a continuation: all the terms, as JSON in base64


@dataclass(frozen=True, slots=True)
class ContentQuery:
    """Concepts to find by meaning, terms to find literally, or both."""

    semantic_concepts: tuple[str, ...] = ()
    exact_terms: tuple[str, ...] = ()
    limit: int | None = None  # None: that of the previous answer, else 10
    max_tokens: int | None = None  # None: that of the previous answer, else only `limit` applies
    continuation_token: str = ""  # "": start with the first result
    offset: int = 0  # set by the continuation

    @property
    def page_size(self) -> int:
        return self.limit or DEFAULT_LIMIT

    def identity(self) -> dict[str, object]:
        """The request as JSON, for the continuation token."""
        return {"c": self.semantic_concepts, "t": self.exact_terms, "l": self.limit, "m": self.max_tokens}


def checked(query: ContentQuery, folder: ContentFolder, words: Continuations) -> ContentQuery:
    """Return the validated query; with a continuation token, the query in the token.

    Raises:
        InvalidRequest: The query is empty, a value is out of range, or the token belongs to another query.
        ContinuationGone: The token is not valid, or belongs to another folder or generation.
    """
    check_bounds(query.limit, query.max_tokens)
    query = replace(
        query,
        semantic_concepts=_clean("semantic_concepts", query.semantic_concepts),
        exact_terms=_clean("exact_terms", query.exact_terms),
    )
    if query.continuation_token:
        return _query_of_token(query, folder, words)
    if not query.semantic_concepts and not query.exact_terms:
        raise InvalidRequest("send semantic_concepts, exact_terms, or both")
    return query


def _query_of_token(query: ContentQuery, folder: ContentFolder, words: Continuations) -> ContentQuery:
    request, offset = words.position(query.continuation_token, "search_content", folder.reader.generation)
    concepts, terms = tuple(request["c"]), tuple(request["t"])
    if (query.semantic_concepts or concepts, query.exact_terms or terms) != (concepts, terms):
        raise InvalidRequest(
            "the continuation token belongs to other concepts or terms; send it alone, or with the same ones"
        )
    return ContentQuery(
        concepts, terms, query.limit or request["l"], query.max_tokens or request["m"], query.continuation_token, offset
    )


def _clean(name: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct values, each on one line and without invisible characters."""
    if len(values) > MAX_TERMS:
        raise InvalidRequest(f"{name} has {len(values)} items; the limit is {MAX_TERMS}")
    for value in values:
        if len(value) > MAX_TERM_CHARS:
            raise InvalidRequest(f"an item of {name} has {len(value)} characters; the limit is {MAX_TERM_CHARS}")
    try:
        return tuple(dict.fromkeys(map(clean_text, values)))
    except InvalidRequest as error:
        raise InvalidRequest(f"an item of {name} is empty") from error


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
