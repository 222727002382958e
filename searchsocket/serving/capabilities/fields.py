"""Fields that several requests share, with limits and descriptions; the second half has the variants for agents."""

import json
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from searchsocket.errors import InvalidRequest
from searchsocket.search import filters as query_filters
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MAX_QUERY_CHARS, MAX_TOP_K, MOST_MAX_TOKENS
from searchsocket.search.content.answer import MAX_TOKEN_CHARS
from searchsocket.search.filters import MAX_FILTER_VALUES, MAX_FILTERS, OWN_FILTERS
from searchsocket.search.query import (
    MAX_GENERATION_CHARS,
    MAX_OFFSET,
    MAX_TAG_CHARS,
    MAX_TAGS,
)
from searchsocket.search.versions import MAX_CHARS as MAX_VERSION_CHARS
from searchsocket.search.versions import MAX_VERSIONS
from searchsocket.serving.capabilities.base import Fields
from searchsocket.text.facets import MAX_VALUE_CHARS
from searchsocket.types import GroupBy
from searchsocket.web.urls.paths import MAX_URL_CHARS
from searchsocket.web.versions.names import MAX_NAME_CHARS

MAX_SCOPE_CHARS = 200
_MAX_NAME_CHARS = 40


def _whole(value: object) -> object:
    """`5.0` is an integer in JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)

# The service refuses the same values with messages of its own; these patterns only inform clients.
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
TopK = Annotated[int, Field(ge=1, le=MAX_TOP_K, description="Maximum number of results."), WHOLE]
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
    WHOLE,
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
Rerank = Annotated[bool, Field(description="Rerank the best candidates; an error if no reranker is configured.")]
SectionSnippets = Annotated[
    bool, Field(description="Return snippets for the other sections of each page, not only titles and URLs.")
]
Explain = Annotated[bool, Field(description="Return the parts of each score.")]
VersionName = Annotated[str, Field(min_length=1, max_length=MAX_VERSION_CHARS, json_schema_extra=dict(NO_NUL))]
VersionNames = Annotated[list[VersionName], Field(min_length=1, max_length=MAX_VERSIONS)]
_VERSION = (
    "Version of the documentation to search: a name or alias, several, or `all`. The URL path of a page means the "
    "version of that page. Default: the newest release. Pages that belong to no version are always searched."
)
Version = Annotated[VersionName | VersionNames, Field(description=_VERSION, examples=["1.2", ["1.2", "1.3"], "all"])]
VersionParameters = Annotated[list[VersionName], Field(max_length=MAX_VERSIONS, description=_VERSION)]
MaxTokens = Annotated[
    int,
    Field(
        ge=LEAST_MAX_TOKENS,
        le=MOST_MAX_TOKENS,
        description="Approximate maximum size of the text in tokens. Results stay whole, best first; "
        "`continuationToken` gets the rest. Default: no limit.",
    ),
    WHOLE,
]
PartTokens = Annotated[
    int,
    Field(
        ge=LEAST_MAX_TOKENS,
        le=MOST_MAX_TOKENS,
        description="Approximate maximum size of the text in tokens; the token gets the rest. Default: 8,000.",
    ),
    WHOLE,
]
ContinuationToken = Annotated[
    str,
    Field(
        max_length=MAX_TOKEN_CHARS,
        description="`continuationToken` of the previous answer to the same query.",
        json_schema_extra={"pattern": "^[A-Za-z0-9_.=-]*$"},  # documentation: the signature refuses other tokens
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
PreferLanguage = Annotated[
    str,
    Field(
        max_length=_MAX_NAME_CHARS,
        description="Language of the visitor, such as `de` or `pt-BR`. Of translations of one page, the one in this "
        "language is the result. Default: the language of the query, if its script shows it.",
        json_schema_extra={"pattern": r"^(?:[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,4})?$"},
    ),
]
Facets = Annotated[
    list[FilterName], Field(max_length=MAX_FILTERS, description="Facets to count among the candidates of the query.")
]
NamedValue = Annotated[str, Field(pattern="^[^:]+:", max_length=_MAX_NAME_CHARS + 1 + MAX_VALUE_CHARS)]
NamedValues = Annotated[
    list[NamedValue],
    Field(max_length=MAX_FILTER_VALUES, description="`name:value`, as in `filters` of the body; repeat for several."),
]

# Names in query strings, if they differ from those in a body: field -> parameter, type, default.
QUERY_STRING = {
    "path_prefix": ("path_prefix", PathPrefix, ""),
    "tags": ("tag", Tags, []),
    "filters": ("filter", NamedValues, []),
    "facets": ("facet", Facets, []),
    "version": ("version", VersionParameters, []),
}


def filters_of(filters: dict[str, FilterValue | list[FilterValue]] | list[str] | None) -> query_filters.Filters:
    """Return the filters of a body, or of a query string (`name:value` each).

    Raises:
        InvalidRequest: A value has the wrong type.
    """
    if isinstance(filters, list):
        return tuple((name, (value,)) for name, _, value in (each.partition(":") for each in filters))
    return tuple((name, _texts(name, value)) for name, value in (filters or {}).items())


def versions_of(version: str | list[str] | None) -> tuple[str, ...]:
    """Return the requested versions of a body or of a query string."""
    return (version,) if isinstance(version, str) else tuple(version or ())


def _texts(name: str, value: FilterValue | list[FilterValue]) -> tuple[str, ...]:
    """Return the values as a query string spells them.

    Raises:
        InvalidRequest: A number or a boolean for a filter that takes only text.
    """
    values = value if isinstance(value, list) else [value]
    if name in OWN_FILTERS and not all(isinstance(each, str) for each in values):
        raise InvalidRequest(f"filter {name}: a text, or a list of them")
    return tuple(str(each).lower() if isinstance(each, bool) else str(each) for each in values)


def _as_list(value: object) -> object:
    """Parse a list that a client sent as JSON text, or as one text."""
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, list) else [value]


def _check_least(max_tokens: int) -> int:
    if 0 < max_tokens < LEAST_MAX_TOKENS:
        raise ValueError(f"must be 0, or {LEAST_MAX_TOKENS} or more")
    return max_tokens


def agent_text(
    description: str, max_length: int, examples: list[Any] | None = None, **others: Any
) -> tuple[object, object]:
    """Return the field of a text for agents; required if it has a minimum length, else empty by default."""
    others.setdefault("default", ... if "min_length" in others else "")
    return str, Field(max_length=max_length, description=description, examples=examples, **others)


def agent_list(item: Any, max_length: int, description: str, examples: list[Any] | None) -> tuple[object, object]:
    """Return the field of a list for agents; empty by default."""
    kind = Annotated[list[item], BeforeValidator(_as_list)]
    return kind, Field([], max_length=max_length, description=description, examples=examples)


_AgentTag = Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARS)]
# Fields for agents: shorter, and without unions, which some models' interfaces refuse. An empty value means the
# request's default.
AGENT_FIELDS: Fields = {
    "q": agent_text("A question or keywords.", MAX_QUERY_CHARS, ["rate limits"], min_length=1),
    "url": agent_text(
        "`url` or `href` of a result, or any URL of the site.", MAX_URL_CHARS, ["/docs/getting-started"], min_length=1
    ),
    "top_k": (int, Field(5, ge=1, le=20, description="Maximum number of results.")),
    "path_prefix": agent_text("Only pages below this path.", MAX_URL_CHARS, ["/docs"]),
    "tags": agent_list(_AgentTag, MAX_TAGS, "Only pages with all of these tags.", [["guides"]]),
    "max_tokens": (
        Annotated[int, AfterValidator(_check_least)],
        Field(
            0,
            ge=0,
            le=MOST_MAX_TOKENS,
            description=f"Approximate maximum size in tokens, {LEAST_MAX_TOKENS} or more; 0: one full answer.",
        ),
    ),
    "prefer_language": agent_text(
        "Language of the user: it decides which translation of a page is returned.", _MAX_NAME_CHARS, ["de"]
    ),
    "version": agent_text(
        "Version of the documentation, or `all`; default: the newest release.", MAX_NAME_CHARS, ["1.2"]
    ),
    "continuation_token": agent_text("Token of the previous answer, to get the rest.", MAX_TOKEN_CHARS),
    "scope": agent_text("Scope or branch; default: the current one.", 200, ["main"]),
}
AGENT_NAMES = {
    "q": "query",
    "top_k": "limit",
    "continuation": "continuation_token",
}  # fields with another name for agents
