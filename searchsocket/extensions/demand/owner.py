"""The owner's page at `/owner`, and its data for callers with the key: demand, comparisons, proposed pins."""

from collections.abc import Callable
from datetime import UTC
from functools import partial
from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from search_api.endpoints.common import caller_of, json_response
from search_api.extension import AppContext
from search_api.page.home import CSP, asset_links, read_template
from searchsocket.errors import InvalidRequest, Unauthorized
from searchsocket.extensions.demand.report import MAX_ENTRIES, DemandReport, demand_report, pin_proposal
from searchsocket.project.project import Project
from searchsocket.quality.generations import Comparison, compare_answers
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.serving.service import SearchService
from searchsocket.types import Scope

PATH = "/owner"
QueryText = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
GenerationText = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,60}$")]
ScopeText = Annotated[str | None, Field(max_length=200)]


class PinRequest(BaseModel):
    """A page to show first for a query."""

    model_config = ConfigDict(extra="forbid")

    q: QueryText
    url: Annotated[str, Field(min_length=1, max_length=2_000)]
    scope: ScopeText = None


def add_owner(context: AppContext) -> None:
    """Serve the page, which contains no secrets, and its data below the prefix of the API."""
    app, project, service, clock = context.app, context.project, context.service, context.clock
    below = f"{context.prefix}/owner"
    links = asset_links(f"{context.prefix.lstrip('/')}/page")

    @app.get(PATH, include_in_schema=False)
    async def get_owner() -> Response:
        title = await run_in_threadpool(service.site_title)
        html = read_template("owner.html").render(
            files=links,
            api=below.lstrip("/"),
            key_name=project.settings.api.key_env,
            project=title or project.id,
            scopes=service.scopes.public,
        )
        return Response(html.encode("utf-8", "replace"), 200, {"content-security-policy": CSP}, "text/html")

    @app.get(f"{below}/demand", include_in_schema=False)
    async def get_demand(
        request: Request,
        days: Annotated[int, Query(ge=1, le=3650)] = 30,
        limit: Annotated[int, Query(ge=1, le=MAX_ENTRIES)] = 10,
        scope: Annotated[ScopeText, Query()] = None,
    ) -> Response:
        named_scope = _owned_scope(request, service, scope)
        today = clock().astimezone(UTC).date()

        def make() -> DemandReport:
            return demand_report(project, service.engine, named_scope, today=today, days=days, limit=limit)

        return json_response(await run_in_threadpool(make), sources=True)

    @app.get(f"{below}/compare", include_in_schema=False)
    async def get_comparison(
        request: Request,
        q: Annotated[QueryText, Query()],
        before: Annotated[GenerationText, Query()] = "previous",
        after: Annotated[GenerationText, Query()] = "live",
        scope: Annotated[ScopeText, Query()] = None,
    ) -> Response:
        named_scope = _owned_scope(request, service, scope)
        vectors, generations = service.engine.queries, (before, after)
        compare: Callable[[], Comparison] = partial(
            compare_answers, project, service.store, vectors, named_scope, q, generations, clock
        )
        return json_response(await run_in_threadpool(compare), sources=True)

    @app.post(f"{below}/pins", include_in_schema=False)
    async def post_pin(request: Request, body: PinRequest) -> Response:
        named_scope = _owned_scope(request, service, body.scope)
        return JSONResponse(await run_in_threadpool(_propose, project, service, named_scope, body))


def _propose(project: Project, service: SearchService, scope: Scope, body: PinRequest) -> dict[str, object]:
    """Return the lines that pin a page; raises `InvalidRequest` if the index has no such page."""
    if not service.has_page(body.url, scope):
        raise InvalidRequest(f"the index of scope {scope.name!r} has no page {body.url!r}")
    pin = pin_proposal(body.q.strip(), body.url, "proposed by the owner")
    return {"file": pin.file, "text": pin.text}


def _owned_scope(request: Request, service: SearchService, scope: str | None) -> Scope:
    """Return the scope of the owner's request.

    Raises:
        Unauthorized: The caller did not send the key.
        InvalidScope: The name is not a valid scope name.
    """
    if not caller_of(request).trusted:
        raise Unauthorized("the owner's page needs the key")
    return service.scopes.find(scope, trusted=True)
