"""The pages of a site: search, find every occurrence, get related pages, read one page."""

import math
from collections.abc import Callable
from typing import Annotated, NamedTuple

from pydantic import ConfigDict, Field

from searchsocket.search.answer import RelatedAnswer, RelatedPage, Result, SearchAnswer
from searchsocket.search.bounds import MAX_OCCURRENCES
from searchsocket.search.continuation import cut_to
from searchsocket.search.notes import NO_BACKEND, NOTES
from searchsocket.search.occurrences import MAX_CHARS, FindAnswer, FindQuery
from searchsocket.search.query import SearchQuery, related_cost
from searchsocket.search.rerank import NOT_JUDGED
from searchsocket.serving.capabilities import fields
from searchsocket.serving.capabilities.base import Agent, Caller, Capability, Http, Request, Services, query_of
from searchsocket.serving.capabilities.paging import read_part, read_results, wants_part
from searchsocket.serving.pages import IndexedPage, PageAnswer, PagePart
from searchsocket.serving.service import SearchService
from searchsocket.types import Generation, Scope

# The same query may get a better answer later, so caches do not keep such an answer.
TEMPORARY = frozenset(note.code for note in (*NOTES.values(), *NOT_JUDGED.values(), NO_BACKEND))


class SearchRequest(Request):
    """The body of `POST /api/search`."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"q": "install the plugin", "topK": 5, "pathPrefix": "/docs"}]}
    )

    q: fields.Text
    top_k: fields.TopK = 10
    offset: fields.Offset = 0
    generation: fields.GenerationName = ""
    scope: fields.ScopeName | None = None
    path_prefix: fields.PathPrefix | None = None
    tags: fields.Tags | None = None
    group_by: fields.Grouping = "page"
    explain: fields.Explain = False
    filters: fields.Filters | None = None
    prefer_language: fields.PreferLanguage = ""
    version: fields.Version | None = None
    facets: fields.Facets | None = None
    rerank: fields.Rerank = False
    section_snippets: fields.SectionSnippets = False
    max_tokens: fields.MaxTokens | None = None
    continuation_token: fields.ContinuationToken = ""


class FindRequest(Request):
    """The body of `POST /api/find`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "atomic rename", "pathPrefix": "/docs"}]})

    q: fields.Text
    limit: Annotated[
        int, Field(ge=1, le=MAX_OCCURRENCES, description="Maximum number of occurrences."), fields.WHOLE
    ] = 20
    whole_words: Annotated[bool, Field(description="Match whole words only.")] = True
    match_case: Annotated[bool, Field(description="Match upper and lower case exactly.")] = False
    continuation: Annotated[
        str, Field(max_length=MAX_CHARS, description="`continuation` of the previous answer, to get the next ones.")
    ] = ""
    max_tokens: fields.MaxTokens | None = None
    scope: fields.ScopeName | None = None
    path_prefix: fields.PathPrefix | None = None
    tags: fields.Tags | None = None
    filters: fields.Filters | None = None
    version: fields.Version | None = None


class RelatedRequest(Request):
    """The query string of `GET /api/related`."""

    url: Annotated[
        fields.PathPrefix, Field(min_length=1, description="URL path of the page.", examples=["/docs/start"])
    ]
    top_k: fields.TopK = 5
    scope: fields.ScopeName | None = None
    max_tokens: fields.MaxTokens | None = None
    continuation_token: fields.ContinuationToken = ""


class PageRequest(Request):
    """The query string of `GET /api/pages`."""

    url: Annotated[
        fields.PathPrefix,
        Field(min_length=1, description="URL path of the page, as in `url` of a result.", examples=["/docs/start"]),
    ]
    scope: fields.ScopeName | None = None
    max_tokens: Annotated[
        fields.MaxTokens | None,
        Field(description="Approximate maximum size of the text in tokens; sections stay whole. Default: no limit."),
    ] = None
    continuation_token: Annotated[
        fields.ContinuationToken, Field(description="`continuationToken` of the previous answer for the same page.")
    ] = ""


class RequestedPage(NamedTuple):
    """A page and its requested part; None = the whole page."""

    page: IndexedPage
    part: PagePart | None = None


def _query_of(request: SearchRequest, caller: Caller) -> SearchQuery:
    filters, version = fields.filters_of(request.filters), fields.versions_of(request.version)
    return query_of(SearchQuery, request, filters=filters, version=version, sources=caller.trusted)


def _search_cost(services: Services, request: SearchRequest, caller: Caller) -> float:
    if request.continuation_token:
        return math.inf  # the token may belong to a costlier query than the one that it is sent with
    return services.search().engine.cost(_query_of(request, caller), services.scope(request.scope, caller))


def _is_instant(services: Services, request: SearchRequest, caller: Caller) -> bool:
    return not request.rerank and services.search().engine.answers_at_once(services.scope(request.scope, caller))


def _is_temporary(answer: SearchAnswer) -> bool:
    return any(note.code in TEMPORARY for note in answer.meta.notes)


def _live(service: SearchService, scope: Scope) -> Callable[[], Generation]:
    return lambda: service.store.reader(scope).generation


def _result_text(result: Result) -> str:
    parts = (f"{section.title} {section.href} {section.snippet}" for section in result.sections)
    return "\n".join((result.title, result.section_title, result.snippet, *parts))


def _related_text(page: RelatedPage) -> str:
    return f"{page.title} {page.description}"


def _sections(text: str, max_tokens: int) -> str:
    """Return the whole sections that fit; of a first section that is too long, whole paragraphs."""
    part = cut_to(text, max_tokens)
    if len(part) == len(text):
        return text
    heading = part.rfind("\n#", len(part) // 2)
    return part[: heading + 1] if heading > 0 else part


def search(services: Services, request: SearchRequest, caller: Caller) -> SearchAnswer:
    """Search the pages of this project's website or documentation, by meaning and by words.

    Call it first for any question about the site: how-to, concepts, where something is documented. Returns ranked
    pages with a quoted passage, the section that answers, and `routeFile`, the source file of the page.
    Then read a page with `get_page`. For source code, use `search_code`.
    """
    return search_scope(services.search(), request, services.scope(request.scope, caller), caller)


def search_scope(service: SearchService, request: SearchRequest, scope: Scope, caller: Caller) -> SearchAnswer:
    """Search the pages of a scope; raises as `SearchEngine.search` and `read_part`."""

    def run(request: SearchRequest) -> SearchAnswer:
        return service.search(_query_of(request, caller), scope, anonymous=not caller.trusted)

    if not wants_part(request, caller):
        return run(request)
    repeated = ("top_k", "path_prefix", "tags", "group_by", "filters", "prefer_language", "version", "offset", "rerank")
    live = _live(service, scope)
    return read_results(service.continuations, "search", live, request, request.q, repeated, run, _result_text)


def find(services: Services, request: FindRequest, caller: Caller) -> FindAnswer:
    """Find every occurrence of words or a phrase in the pages of a scope; raises as `find_all`."""
    query = query_of(
        FindQuery, request, filters=fields.filters_of(request.filters), version=fields.versions_of(request.version)
    )
    return services.search().find(query, services.scope(request.scope, caller))


def related(services: Services, request: RelatedRequest, caller: Caller) -> RelatedAnswer:
    """List pages related to one page: similar in meaning, linked from it, or in the same directory.

    Call it for more on the subject of a page, or to see what else a change affects.
    """
    service, scope = services.search(), services.scope(request.scope, caller)

    def run(request: RelatedRequest) -> RelatedAnswer:
        return service.related(request.url, scope, request.top_k)

    if not wants_part(request, caller):
        return run(request)
    live = _live(service, scope)
    return read_results(service.continuations, "related", live, request, request.url, ["top_k"], run, _related_text)


def read_page(services: Services, request: PageRequest, caller: Caller, *, is_segment: bool = False) -> RequestedPage:
    """Read a page, or a part of it: whole sections.

    Args:
        is_segment: See `find_page`.

    Raises:
        PageMissing: There is no such page.
        InvalidRequest, ContinuationGone: As `read_part`.
    """
    service, scope = services.search(), services.scope(request.scope, caller)
    page = service.page(request.url, scope, is_segment=is_segment)
    if not wants_part(request, caller):
        return RequestedPage(page)
    part = read_part(
        service.continuations,
        "get_page",
        lambda: (page.generation, ""),
        request,
        page.page.facts.url,
        (),
        lambda _: page,
        lambda page: page.page.body,
        _sections,
    )
    return RequestedPage(page, PagePart(part.items, part.is_first, part.token))


def page(services: Services, request: PageRequest, caller: Caller) -> PageAnswer:
    """Read one page of the site whole, as Markdown.

    Takes `url` or `href` of a result, or any URL of the site. Returns the text with `routeFile`, the source file to
    edit. A long page comes in parts, with a token for the rest. For an unknown page it suggests similar ones.
    """
    indexed_page, part = read_page(services, request, caller)
    return indexed_page.answer(part)


SEARCH = Capability(
    search,
    Http(
        "",
        post=("search", "Search the site"),
        get=("searchByUrl", "Search the site with URL parameters"),
        parameters=fields.QUERY_STRING,
    ),
    hits=lambda answer: len(answer.results),
    agent=Agent(
        "search",
        "a question about the site: start here",
        (
            "q",
            "top_k",
            "path_prefix",
            "tags",
            "prefer_language",
            "version",
            "max_tokens",
            "continuation_token",
            "scope",
        ),
        instruction="`search` finds pages.",
        toolset="core",
        corpus="site",
        constants={"section_snippets": True},
    ),
    cost=_search_cost,
    is_instant=_is_instant,
    generation=lambda answer: None if _is_temporary(answer) else (answer.scope, answer.meta.generation),
)
FIND = Capability(
    find,
    Http(
        "/find",
        post=("find", "Find every occurrence of words or a phrase"),
        get=("findByUrl", "Find every occurrence with URL parameters"),
        parameters=fields.QUERY_STRING,
    ),
    hits=lambda answer: len(answer.occurrences),
    generation=lambda answer: (answer.scope, answer.generation),
)
RELATED = Capability(
    related,
    Http("/related", get=("relatedPages", "Get related pages")),
    agent=Agent(
        "related",
        "pages similar to a page",
        ("url", "top_k", "max_tokens", "continuation_token", "scope"),
        corpus="site",
    ),
    cost=lambda _, request, __: related_cost(request.top_k),
    generation=lambda answer: (answer.scope, answer.generation),
)
PAGE = Capability(
    page,
    Http("/pages", get=("getPageByUrl", "Get a page by URL")),
    agent=Agent(
        "get_page",
        "read a page that you found or know",
        ("url", "max_tokens", "continuation_token", "scope"),
        title="Read a page",
        instruction="`get_page` reads one.",
        toolset="core",
        corpus="site",
    ),
    cost=lambda _, request, caller: math.inf if wants_part(request, caller) else 0.0,
    generation=lambda answer: (answer.scope, answer.generation),
)
PAGES = (SEARCH, FIND, RELATED, PAGE)
