"""Record the searches of visitors, and the results that they open (`POST /api/beacon`)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Literal

from fastapi import FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.capabilities import OnAnswer
from search_api.endpoints.common import caller_of
from search_api.extension import Added, AppContext
from searchsocket.errors import InvalidRequest
from searchsocket.extensions.demand.log import DemandLog, DemandRecorder
from searchsocket.extensions.demand.settings import DemandSettings
from searchsocket.extensions.demand.tally import Outcome, Reaction, SearchEvent, storable_query
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.serving.capabilities.pages import SearchRequest
from searchsocket.serving.service import SearchService

MAX_BYTES = 8_192  # a query of 1,000 characters with its page
_OUTCOMES: dict[str, Outcome] = {"answered": "answered", "weak": "weak", "rejected": "unanswered"}


def add_endpoints(context: AppContext) -> Added:
    """Add the owner's page, if there are trusted callers, and record searches if the settings say so."""
    if context.project.settings.api.page and context.has_key:
        from searchsocket.extensions.demand.owner import add_owner  # 50 ms: golden queries and the sources of pages

        add_owner(context)
    if not context.project.settings.section(DemandSettings).enable:
        return Added()
    beacon = f"{context.prefix}/beacon"
    return Added(_record_demand(context, beacon), beacon)


def _record_demand(context: AppContext, beacon: str) -> OnAnswer:
    """Accept beacons and return the listener for searches; counts are stored when the application stops."""
    app, project, service = context.app, context.project, context.service
    settings = project.settings.section(DemandSettings)
    recorder = DemandRecorder(
        DemandLog(project.state_dir),
        settings.min_visitors,
        settings.keep_days,
        clock=context.clock,
        on_error=context.on_error,
    )
    listener = SearchListener(recorder, service.scopes.default)
    add_beacon(app, beacon, service, listener)
    start = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(storable_query, "load the formats of secrets")
        async with start(app):
            try:
                yield
            finally:
                await run_in_threadpool(recorder.close)

    app.router.lifespan_context = lifespan
    app.state.demand = recorder
    context.on_reaction.append(listener.reaction)
    return listener.search


class SearchListener:
    """Passes searches of visitors to the recorder; searches of trusted callers are the owner's own and are ignored."""

    def __init__(self, recorder: DemandRecorder, default_scope: str) -> None:
        self._recorder = recorder
        self._default_scope = default_scope

    def search(self, request: Request, body: SearchRequest, answer: SearchAnswer | None) -> None:
        """Record a search.

        Args:
            answer: None after a 304.
        """
        if body.offset or body.continuation_token:
            return  # more results of a search that is recorded
        scope = answer.scope if answer else body.scope or self._default_scope
        is_filtered = body.filters or body.path_prefix or body.tags or body.version
        self.note(request, SearchEvent("", scope, body.q, _outcome(answer, is_filtered=bool(is_filtered))))

    def reaction(self, request: Request, scope: str | None, question: str, reaction: Reaction) -> None:
        """Record a question that was refused, or an answer that did not help."""
        self.note(request, SearchEvent("", scope or self._default_scope, question, reaction=reaction))

    def note(self, request: Request, event: SearchEvent) -> None:
        """Record an event, unless its caller is trusted or asks not to be recorded (Global Privacy Control)."""
        caller = caller_of(request)
        if not caller.trusted and request.headers.get("sec-gpc") != "1":
            self._recorder.note(event._replace(address=caller.address))


def _outcome(answer: SearchAnswer | None, *, is_filtered: bool) -> Outcome | None:
    if answer is None or (is_filtered and not answer.results):  # other pages may answer
        return None
    return "weak" if answer.results and answer.quality == "weak" else "answered" if answer.results else "unanswered"


class Beacon(BaseModel):
    """The body of a beacon: a query, and the page that was opened or the outcome of the search."""

    model_config = ConfigDict(extra="ignore")

    q: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
    url: Annotated[str, Field(max_length=2_000)] = ""
    quality: Literal["answered", "weak", "rejected", ""] = ""
    scope: Annotated[str, Field(max_length=200)] | None = None


def add_beacon(app: FastAPI, path: str, service: SearchService, listener: SearchListener) -> None:
    """Accept beacons at `path`; a beacon for a page outside the index is ignored."""

    @app.post(path, include_in_schema=False)
    async def post_beacon(request: Request) -> Response:
        body = await request.body()
        try:
            beacon = Beacon.model_validate_json(body if len(body) <= MAX_BYTES else b"")
        except ValidationError as error:
            raise InvalidRequest(f"a beacon is JSON with `q` and `url`, at most {MAX_BYTES:,} bytes") from error
        scope = service.scopes.find(beacon.scope, trusted=False)
        if not beacon.url or await run_in_threadpool(service.has_page, beacon.url, scope):
            outcome = _OUTCOMES.get(beacon.quality)
            listener.note(request, SearchEvent("", scope.name, beacon.q, outcome, beacon.url))
        return Response(status_code=204)
