"""The JSON of requests and answers (spec 14.1): camelCase outside, snake_case inside.

An answer to a search is written by `searchsocket.serving.answer_json`, in the shape of `SearchResponse`.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from searchsocket.errors import InvalidRequest
from searchsocket.search.answer import RelatedAnswer
from searchsocket.search.query import MAX_QUERY_CHARS, MAX_TAG_CHARS, MAX_TAGS, MAX_TOP_K, SearchQuery
from searchsocket.search.related import RelatedPage
from searchsocket.serving import health
from searchsocket.serving.pages import FoundPage
from searchsocket.types import GroupBy, RouteResolution
from searchsocket.urls.paths import MAX_URL_CHARS

MAX_SCOPE_CHARS = 200

Text = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["install the plugin"])]
TopK = Annotated[int, Field(ge=1, le=MAX_TOP_K, description="How many results at most.")]
PathPrefix = Annotated[
    str, Field(max_length=MAX_URL_CHARS, description="A directory of the site: `/docs` holds `/docs` and `/docs/a`.")
]
Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARS)]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS, description="A page must carry all of them.")]
ScopeName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_SCOPE_CHARS,
        description="Default: the site's own.",
        # Told, and not tested here: the refusal has a code of its own.
        json_schema_extra={"pattern": "[A-Za-z0-9]"},
    ),
]
Grouping = Annotated[GroupBy, Field(description="`page`: best pages, best sections inside; `chunk`: a flat list.")]
Explain = Annotated[bool, Field(description="Give every part of every score.")]


class Wire(BaseModel):
    """Base of what travels."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True)


class SearchRequest(Wire):
    """The body of `POST /api/search`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"q": "install the plugin", "topK": 5, "pathPrefix": "/docs"}]},
    )

    q: Text
    top_k: TopK = 10
    scope: ScopeName | None = None
    path_prefix: PathPrefix | None = None
    tags: Tags | None = None
    group_by: Grouping = "page"
    explain: Explain = False
    rerank: Annotated[bool, Field(description="Only where a reranker is configured.")] = False

    def to_query(self) -> SearchQuery:
        """The query that is meant.

        Raises:
            InvalidRequest: A reranker is asked for, and there is none.
        """
        if self.rerank:
            raise InvalidRequest("no reranker is configured here; leave 'rerank' out")
        tags = tuple(self.tags or ())
        return SearchQuery(self.q, self.top_k, self.path_prefix or "", tags, self.group_by, self.explain)


class SearchParams(Wire):
    """The query string of `GET /api/search`."""

    model_config = ConfigDict(extra="forbid")

    q: Text
    top_k: TopK = 10
    scope: ScopeName | None = None
    path_prefix: PathPrefix = ""
    tag: Tags = []
    group_by: Grouping = "page"
    explain: Explain = False

    def to_query(self) -> SearchQuery:
        """The query that is meant."""
        return SearchQuery(self.q, self.top_k, self.path_prefix, tuple(self.tag), self.group_by, self.explain)


Score = Annotated[float, Field(ge=0, le=1, description="Higher is better; comparable only within one answer.")]
Marks = Annotated[
    list[tuple[int, int]], Field(description="Where query words stand in `snippet`: [start, end) in code points.")
]
SnippetHtml = Annotated[str, Field(description="`snippet` escaped for HTML, with `<mark>` and no other markup.")]
Href = Annotated[str, Field(description="url#anchor: opens at the section.", examples=["/docs/start#install"])]


class SectionModel(Wire):
    """A section of a page that answers too."""

    href: Href
    anchor: str
    title: str
    heading_path: list[str]
    snippet: str
    snippet_html: SnippetHtml
    marks: Marks
    score: Score
    ref: str


class ExplanationModel(Wire):
    """score = (fused + links + depth + exact) x weight, brought to [0, 1]; fused: vector, keyword, page, by shares."""

    cosine: float
    bm25: float
    vector: float
    keyword: float
    page_bm25: float
    page: float
    fused: float
    links: float
    depth: float
    exact: float
    weight: float


class ResultModel(Wire):
    """One page, or one chunk."""

    url: str
    href: Href
    anchor: str
    title: str
    section_title: str
    heading_path: list[str]
    snippet: str
    snippet_html: SnippetHtml
    marks: Marks
    score: Score
    route_file: Annotated[str | None, Field(description="Source file of the page; null for callers without a key.")]
    route_resolution: RouteResolution | None
    scope: str
    generation: str
    age_seconds: Annotated[float, Field(ge=0, description="Since the index was published.")]
    tags: list[str]
    language: str
    modified: str
    ref: Annotated[str, Field(description="Names this piece of the page across edits elsewhere.")]
    sections: list[SectionModel]
    explanation: ExplanationModel | None = None


class Timings(Wire):
    """Milliseconds by part."""

    embed: float
    vector: float
    keyword: float
    rerank: float
    total: float


class SearchMeta(Wire):
    """How the answer came about."""

    timings_ms: Timings
    used_rerank: bool
    model_id: str
    generation: str
    published_at: str
    age_seconds: float


class SearchResponse(Wire):
    """Ranked results; none when nothing answers, which is not an error."""

    q: str
    scope: str
    group_by: GroupBy
    results: list[ResultModel]
    meta: SearchMeta


class RelatedPageModel(Wire):
    """A page near another one, and why."""

    url: str
    title: str
    description: str
    score: Score
    meaning: Annotated[float, Field(ge=0, le=1, description="How near in meaning.")]
    is_linked: Annotated[bool, Field(description="The page links to it.")]
    is_neighbour: Annotated[bool, Field(description="It lies in the same directory.")]
    tags: list[str]
    route_file: str | None
    route_resolution: RouteResolution | None

    @classmethod
    def of(cls, page: RelatedPage, *, sources: bool) -> "RelatedPageModel":
        return cls.model_construct(
            url=page.url,
            title=page.title,
            description=page.description,
            score=page.score,
            meaning=page.meaning,
            is_linked=page.is_linked,
            is_neighbour=page.is_neighbour,
            tags=list(page.tags),
            route_file=(page.route_file or None) if sources else None,
            route_resolution=page.route_resolution if sources else None,
        )


class RelatedResponse(Wire):
    """Pages near a page, nearest first."""

    url: str
    scope: str
    generation: str
    age_seconds: float
    results: list[RelatedPageModel]

    @classmethod
    def of(cls, answer: RelatedAnswer, *, sources: bool) -> "RelatedResponse":
        return cls.model_construct(
            url=answer.url,
            scope=answer.scope,
            generation=answer.generation,
            age_seconds=answer.age_s,
            results=[RelatedPageModel.of(page, sources=sources) for page in answer.pages],
        )


class PageResponse(Wire):
    """One page of the mirror: what the index saw."""

    url: str
    title: str
    description: str
    scope: str
    generation: str
    tags: list[str]
    language: str
    modified: str
    incoming_links: int
    outgoing_links: int
    route_file: str | None
    route_resolution: RouteResolution | None
    markdown: Annotated[str, Field(description="The page's text, without front matter.")]

    @classmethod
    def of(cls, found: FoundPage, *, sources: bool) -> "PageResponse":
        page = found.page
        return cls.model_construct(
            url=page.url,
            title=page.title,
            description=page.description,
            scope=page.scope,
            generation=found.generation.name,
            tags=list(page.tags),
            language=page.language,
            modified=page.modified,
            incoming_links=page.incoming_links,
            outgoing_links=page.outgoing_links,
            route_file=(page.route_file or None) if sources else None,
            route_resolution=page.route_resolution if sources else None,
            markdown=page.body,
        )


class ScopeHealth(Wire):
    """One scope's live index."""

    scope: str
    ready: Annotated[bool, Field(description="It has an index, made with the model that is configured.")]
    degraded: Annotated[
        str | None, Field(description="Why an older generation answers than the newest; null when it is the newest.")
    ] = None
    generation: str | None = None
    published_at: str | None = None
    age_seconds: float | None = None
    records: int | None = None
    pages: int | None = None
    model_id: str | None = None

    @classmethod
    def of(cls, scope: health.ScopeHealth) -> "ScopeHealth":
        return cls(
            scope=scope.scope,
            ready=scope.ready,
            degraded=scope.degraded,
            generation=scope.generation,
            published_at=scope.published_at,
            age_seconds=scope.age_s,
            records=scope.records,
            pages=scope.pages,
            model_id=scope.model_id,
        )


class HealthResponse(Wire):
    """`live`: the process answers; `ready`: every scope that callers may read by default does."""

    live: bool
    ready: bool
    scopes: list[ScopeHealth]
    backend: Annotated[str | None, Field(description="What the store says of itself; null without a key.")] = None

    @classmethod
    def of(cls, found: health.ServiceHealth) -> "HealthResponse":
        scopes = [ScopeHealth.of(scope) for scope in found.scopes]
        return cls(live=True, ready=found.ready, scopes=scopes, backend=found.backend)


class ErrorDetail(Wire):
    code: str
    message: str
    suggestions: Annotated[list[str] | None, Field(description="Pages that may be meant.")] = None


class ErrorResponse(Wire):
    """Every error of this service."""

    error: ErrorDetail


def error_docs(**statuses: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI responses, e.g. `error_docs(s400="...")`."""
    return {int(status[1:]): {"model": ErrorResponse, "description": text} for status, text in statuses.items()}
