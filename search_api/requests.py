"""What callers ask: the JSON and query strings of requests (spec 14.1), camelCase outside, snake_case inside."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from searchsocket.errors import InvalidRequest
from searchsocket.search.query import MAX_QUERY_CHARS, MAX_TAG_CHARS, MAX_TAGS, MAX_TOP_K, SearchQuery
from searchsocket.types import GroupBy
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


class Request(BaseModel):
    """Base of what is asked."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SearchRequest(Request):
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


class SearchParams(Request):
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


class RelatedParams(Request):
    """The query string of `GET /api/related`."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[PathPrefix, Field(min_length=1, description="URL path of the page.", examples=["/docs/start"])]
    top_k: TopK = 5
    scope: ScopeName | None = None
