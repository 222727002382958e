"""Requests for every occurrence of words or a phrase."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from search_api.requests import (
    Filters,
    MaxTokens,
    NamedValues,
    PathPrefix,
    Request,
    ScopeName,
    Tags,
    Text,
    filters_of,
    named_filters,
    whole,
)
from searchsocket.search.occurrences.answer import MAX_LIMIT, FindQuery
from searchsocket.search.occurrences.continuation import MAX_CHARS

Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description="Maximum number of occurrences."), BeforeValidator(whole)]
WholeWords = Annotated[bool, Field(description="Match whole words only.")]
MatchCase = Annotated[bool, Field(description="Match upper and lower case exactly.")]
Continuation = Annotated[
    str, Field(max_length=MAX_CHARS, description="`continuation` of the previous answer, to get the next ones.")
]


class FindRequest(Request):
    """The body of `POST /api/find`."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"q": "atomic rename", "pathPrefix": "/docs"}]}
    )

    q: Text
    limit: Limit = 20
    whole_words: WholeWords = True
    match_case: MatchCase = False
    continuation: Continuation = ""
    max_tokens: MaxTokens | None = None
    scope: ScopeName | None = None
    path_prefix: PathPrefix | None = None
    tags: Tags | None = None
    filters: Filters | None = None

    def to_query(self) -> FindQuery:
        """Return the query of this request.

        Raises:
            InvalidRequest: A filter is of another type.
        """
        return FindQuery(
            self.q,
            self.limit,
            self.whole_words,
            self.match_case,
            self.path_prefix or "",
            tuple(self.tags or ()),
            filters_of(self.filters),
            self.continuation,
            self.max_tokens,
        )


class FindParams(Request):
    """The query string of `GET /api/find`."""

    model_config = ConfigDict(extra="forbid")

    q: Text
    limit: Limit = 20
    whole_words: WholeWords = True
    match_case: MatchCase = False
    continuation: Continuation = ""
    max_tokens: MaxTokens | None = None
    scope: ScopeName | None = None
    path_prefix: PathPrefix = ""
    tag: Tags = []
    filter: NamedValues = []

    def to_query(self) -> FindQuery:
        """Return the query of this request."""
        return FindQuery(
            self.q,
            self.limit,
            self.whole_words,
            self.match_case,
            self.path_prefix,
            tuple(self.tag),
            named_filters(self.filter),
            self.continuation,
            self.max_tokens,
        )
