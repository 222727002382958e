"""Search requests: JSON bodies and query strings (spec 14.1), camelCase outside, snake_case inside."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from searchsocket.agents.arguments import merged_options
from searchsocket.errors import InvalidRequest
from searchsocket.search import filters as query_filters
from searchsocket.search.content.bounds import LEAST_MAX_TOKENS, MOST_MAX_TOKENS
from searchsocket.search.content.query import MAX_TOKEN_CHARS
from searchsocket.search.filters import MAX_FILTER_VALUES, MAX_FILTERS, OWN_FILTERS
from searchsocket.search.query import (
    MAX_GENERATION_CHARS,
    MAX_OFFSET,
    MAX_QUERY_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_TOP_K,
    SearchQuery,
)
from searchsocket.serving.parts import Part
from searchsocket.text.facets import MAX_VALUE_CHARS
from searchsocket.types import GroupBy
from searchsocket.web.urls.paths import MAX_URL_CHARS

MAX_SCOPE_CHARS = 200
_MAX_NAME_CHARS = 40


def whole(value: object) -> object:
    """`5.0` is an integer in JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# What these patterns refuse is refused by what reads the field, in words of its own; clients need not find that out.
NO_NUL = {"pattern": r"^[^\u0000]*$"}
_SOMETHING = {"pattern": r"\S"}
_VISIBLE = {
    "pattern": r"[^\u0000-\u0020\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e"
    r"\u2000-\u200f\u2028-\u202f\u205f-\u2064\u2066-\u206f\u3000\ufeff\ufff9-\ufffb]"
}

Text = Annotated[
    str,
    Field(min_length=1, max_length=MAX_QUERY_CHARS, examples=["install the plugin"], json_schema_extra=dict(_VISIBLE)),
]
TopK = Annotated[int, Field(ge=1, le=MAX_TOP_K, description="Maximum number of results."), BeforeValidator(whole)]
PathPrefix = Annotated[
    str,
    Field(
        max_length=MAX_URL_CHARS,
        description="Only pages in this directory: `/docs` matches `/docs` and `/docs/a`.",
        json_schema_extra=dict(NO_NUL),
    ),
]
Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARS, json_schema_extra=dict(_SOMETHING))]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS, description="Only pages with all of these tags.")]
ScopeName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_SCOPE_CHARS,
        description="Scope to search. Default: the site's default scope.",
        json_schema_extra={"pattern": "[A-Za-z0-9]"},  # the refusal has a code of its own
    ),
]
Offset = Annotated[
    int,
    Field(
        ge=0,
        le=MAX_OFFSET,
        description="Number of results to skip, for the next page of results with the same `topK`. The order is "
        "stable while the same generation is live.",
    ),
    BeforeValidator(whole),
]
GenerationName = Annotated[
    str,
    Field(
        max_length=MAX_GENERATION_CHARS,
        description="`meta.generation` of the first answer. If another generation is live now, `meta.notes` "
        "reports it.",
    ),
]
Grouping = Annotated[
    GroupBy, Field(description="`page`: one result per page, with its best sections; `chunk`: one result per chunk.")
]
Rerank = Annotated[
    bool,
    Field(description="Rerank the best candidates; an error if no reranker is configured."),
]
SectionSnippets = Annotated[
    bool,
    Field(description="Return snippets for the other sections of each page, not only titles and URLs."),
]
Explain = Annotated[bool, Field(description="Return the parts of each score.")]
MaxTokens = Annotated[
    int,
    Field(
        ge=LEAST_MAX_TOKENS,
        le=MOST_MAX_TOKENS,
        description="Approximate maximum size of the text in tokens. Results stay whole, best first; "
        "`continuationToken` gets the rest. Default: no limit.",
    ),
    BeforeValidator(whole),
]
ContinuationToken = Annotated[
    str,
    Field(
        max_length=MAX_TOKEN_CHARS,
        description="`continuationToken` of the previous answer to the same query.",
        json_schema_extra={"pattern": "^[A-Za-z0-9_.=-]*$"},  # said, not checked: another one is none of ours anyway
    ),
]


FilterName = Annotated[str, Field(min_length=1, max_length=_MAX_NAME_CHARS)]
FilterValue = Annotated[str, Field(max_length=MAX_VALUE_CHARS)] | bool | int | float
FilterValues = Annotated[list[FilterValue], Field(min_length=1, max_length=MAX_FILTER_VALUES)]
Filters = Annotated[
    dict[FilterName, FilterValue | FilterValues],
    Field(
        max_length=MAX_FILTERS,
        description="Filter by `language`, `kind` or a configured facet. With several values, one must match.",
        examples=[{"language": ["en", "de"], "kind": "section"}],
    ),
]
Facets = Annotated[
    list[FilterName],
    Field(max_length=MAX_FILTERS, description="Facets to count among the candidates of the query."),
]
NamedValue = Annotated[str, Field(pattern="^[^:]+:", max_length=_MAX_NAME_CHARS + 1 + MAX_VALUE_CHARS)]
NamedValues = Annotated[
    list[NamedValue],
    Field(max_length=MAX_FILTER_VALUES, description="`name:value`, as in `filters` of the body; repeat for several."),
]


class WithOptions(BaseModel):
    """A request that also takes its optional fields in an object `opts`, as the tools of agents do."""

    @model_validator(mode="before")
    @classmethod
    def _merge_options(cls, sent: Any) -> Any:
        return merged_options(sent) if isinstance(sent, dict) else sent


class Request(WithOptions):
    """Base class of the requests."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


def part_of(asked: "SearchRequest | SearchParams | RelatedParams") -> Part | None:
    """The requested part of the answer; None: all of it."""
    is_part = asked.max_tokens or asked.continuation_token
    return Part(asked.max_tokens, asked.continuation_token) if is_part else None


class SearchRequest(Request):
    """The body of `POST /api/search`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"q": "install the plugin", "topK": 5, "pathPrefix": "/docs"}]},
    )

    q: Text
    top_k: TopK = 10
    offset: Offset = 0
    generation: GenerationName = ""
    scope: ScopeName | None = None
    path_prefix: PathPrefix | None = None
    tags: Tags | None = None
    group_by: Grouping = "page"
    explain: Explain = False
    filters: Filters | None = None
    facets: Facets | None = None
    rerank: Rerank = False
    section_snippets: SectionSnippets = False
    max_tokens: MaxTokens | None = None
    continuation_token: ContinuationToken = ""

    def to_query(self) -> SearchQuery:
        """Return the query of this request.

        Raises:
            InvalidRequest: A filter is of another type.
        """
        return SearchQuery(
            self.q,
            self.top_k,
            self.path_prefix or "",
            tuple(self.tags or ()),
            self.group_by,
            self.explain,
            filters=filters_of(self.filters),
            facets=tuple(self.facets or ()),
            offset=self.offset,
            generation=self.generation,
            rerank=self.rerank,
            section_snippets=self.section_snippets,
        )


class SearchParams(Request):
    """The query string of `GET /api/search`."""

    model_config = ConfigDict(extra="forbid")

    q: Text
    top_k: TopK = 10
    offset: Offset = 0
    generation: GenerationName = ""
    scope: ScopeName | None = None
    path_prefix: PathPrefix = ""
    tag: Tags = []
    group_by: Grouping = "page"
    explain: Explain = False
    filter: NamedValues = []
    facet: Facets = []
    rerank: Rerank = False
    section_snippets: SectionSnippets = False
    max_tokens: MaxTokens | None = None
    continuation_token: ContinuationToken = ""

    def to_query(self) -> SearchQuery:
        """Return the query of this request."""
        return SearchQuery(
            self.q,
            self.top_k,
            self.path_prefix,
            tuple(self.tag),
            self.group_by,
            self.explain,
            filters=named_filters(self.filter),
            facets=tuple(self.facet),
            offset=self.offset,
            generation=self.generation,
            rerank=self.rerank,
            section_snippets=self.section_snippets,
        )


class RelatedParams(Request):
    """The query string of `GET /api/related`."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[PathPrefix, Field(min_length=1, description="URL path of the page.", examples=["/docs/start"])]
    top_k: TopK = 5
    scope: ScopeName | None = None
    max_tokens: MaxTokens | None = None
    continuation_token: ContinuationToken = ""


def filters_of(filters: dict[str, FilterValue | list[FilterValue]] | None) -> query_filters.Filters:
    """The filters of a body.

    Raises:
        InvalidRequest: One is of another type.
    """
    return tuple((name, _texts(name, value)) for name, value in (filters or {}).items())


def named_filters(named: list[str]) -> query_filters.Filters:
    """Those of a query string, `name:value` each."""
    return tuple((name, (value,)) for name, _, value in (one.partition(":") for one in named))


def _texts(name: str, value: FilterValue | list[FilterValue]) -> tuple[str, ...]:
    """Values as a query string writes them.

    Raises:
        InvalidRequest: A number or a boolean, where the filter is of texts alone.
    """
    values = value if isinstance(value, list) else [value]
    if name in OWN_FILTERS and not all(isinstance(one, str) for one in values):
        raise InvalidRequest(f"filter {name}: a text, or a list of them")
    return tuple(str(one).lower() if isinstance(one, bool) else str(one) for one in values)
