"""Application of many projects: each below its name, opened at its first request, and a search over several."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from search_api.endpoints.monitoring import PROBES, add_probes
from search_api.errors import add_handlers, error_response, problem
from search_api.gate.callers import RateLimit, bearer_key, client_address, is_trusted, peer_address
from search_api.gate.guards import HttpLayer
from search_api.gate.stack import Gate, add_guards, tier_rules
from searchsocket.errors import SearchSocketError
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.extensions.fleet.api.app import PREFIX
from searchsocket.extensions.fleet.api.pool import Member, PoolNumbers, ProjectPool, Run
from searchsocket.extensions.fleet.api.searcher import SiteSearcher, json_object, unavailable
from searchsocket.project.access import configured_key, read_token
from searchsocket.project.project import Project
from searchsocket.serving.hosts import is_loopback
from searchsocket.serving.service import OnError

MAX_PROJECTS = 8  # of one search
NO_PROJECT = "there is no project"


def create_many_app(
    pool: ProjectPool,
    base: Project,
    *,
    environ: Mapping[str, str],
    host: str,
    dev: bool,
    scan_s: float,
    on_error: OnError,
) -> FastAPI:
    """Build the application of a pool of projects.

    Args:
        base: Its settings `[api]` apply to the shared endpoints.
        scan_s: Seconds between two scans for new and vanished projects.
    """
    path = base.settings.api.path
    prefix = path.rpartition("/")[0]

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with pool.running(scan_s):
            yield

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False, lifespan=lifespan)
    gate = PoolGate(pool, base, environ, dev=dev and is_loopback(host))
    searcher = PoolSearcher(pool, gate)

    @app.get(path)
    async def get_search(request: Request) -> Response:
        parameters = request.query_params.multi_items()
        names = [value for name, value in parameters if name == "project"]
        query = [(name, value) for name, value in parameters if name != "project"]
        return await searcher.search(request.scope, names, query)

    @app.post(path)
    async def post_search(request: Request) -> Response:
        fields = dict(json_object(await request.body()) or {})
        names = fields.pop("project", [])
        return await searcher.search(request.scope, [names] if isinstance(names, str) else names, fields)

    @app.post(f"{prefix}/beacon")
    async def post_beacon(request: Request) -> Response:
        body = await request.body()
        name = (json_object(body) or {}).get("project")
        return await searcher.pass_on(request.scope, name if isinstance(name, str) else "", "beacon", body)

    _add_health(app, prefix, pool, gate)
    add_handlers(app, on_error)
    app.state.projects = len(pool.members)
    app.state.numbers = pool.numbers
    app.state.collectors = [PoolNumbers(pool.members, pool.memory, pool.files)]
    app.state.service = None
    probes = [f"{prefix}/{name}" for name in PROBES]
    add_guards(app, Gate(base, host, on_error, probes=probes, beacons=frozenset({f"{prefix}/beacon"})))
    app.add_middleware(PoolDispatch, pool=pool, gate=gate)
    return app


def _add_health(app: FastAPI, prefix: str, pool: ProjectPool, gate: "PoolGate") -> None:
    """Serve the health of the projects that a caller may know, and the probes of the process."""

    @app.get(f"{prefix}/health")
    async def get_health(request: Request) -> Response:
        sites = {
            member.listed.name: {"state": member.state}
            for member in pool.members.values()
            if gate.may_know(member, request.scope)
        }
        return JSONResponse({"live": True, "ready": bool(pool.members), "sites": sites}, 200 if pool.members else 503)

    async def obstacle(_: Request) -> str | None:
        return None if pool.members else NO_PROJECT

    add_probes(app, prefix, obstacle)


class PoolGate:
    """Decides who may know that a project exists, and how often untrusted callers may cause projects to open."""

    def __init__(self, pool: ProjectPool, base: Project, environ: Mapping[str, str], *, dev: bool) -> None:
        self._pool = pool
        self._environ = environ
        self._dev = dev
        api = base.settings.api
        self._proxies = tier_rules(api, "", "", False).proxies
        self._rate = RateLimit(api.rate_limit) if api.rate_limit.max else None

    def find(self, name: object, scope: Scope) -> Member | None:
        """Return the project of a name, if this caller may know it."""
        member = self._pool.members.get(name) if isinstance(name, str) else None
        return member if member and self.may_know(member, scope) else None

    def may_know(self, member: Member, scope: Scope) -> bool:
        """Return True if the project has public scopes, or the caller is trusted there."""
        return member.listed.is_public or self._is_trusted(member.listed.project, scope)

    def refusal(self, member: Member | None, scope: Scope) -> Response | None:
        """Return a 429 if an untrusted caller asked too often for projects that are not open; else None."""
        is_cheap = member is not None and member.run is not None
        if self._rate is None or is_cheap or (member and self._is_trusted(member.listed.project, scope)):
            return None
        headers = Headers(scope=scope)
        wait_s = self._rate.hit(client_address(headers, peer_address(scope), self._proxies))
        return None if wait_s is None else self._rate.refusal(wait_s)

    def _is_trusted(self, project: Project, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        if bearer_key(headers) is None and not self._dev:
            return False
        try:
            secret = configured_key(project, self._environ)
            rules = tier_rules(project.settings.api, secret, "" if secret else read_token(project) or "", self._dev)
        except SearchSocketError:
            return False
        return is_trusted(headers, peer_address(scope), rules)


class PoolDispatch(HttpLayer):
    """Passes requests below `/sites/NAME` to that project's application, as if it were alone."""

    def __init__(self, app: ASGIApp, pool: ProjectPool, gate: PoolGate) -> None:
        super().__init__(app)
        self._pool = pool
        self._gate = gate

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(PREFIX):
            await self._app(scope, receive, send)
            return
        name, slash, _ = scope["path"].removeprefix(PREFIX).partition("/")
        member = self._gate.find(name, scope) if slash else None
        if refusal := self._gate.refusal(member, scope):
            await refusal(scope, receive, send)
            return
        if member is None:
            await unavailable(404)(scope, receive, send)
            return
        try:
            run = await self._pool.acquire(member)
        except SearchSocketError as error:
            await error_response(error)(scope, receive, send)
            return
        try:
            below = f"{PREFIX}{name}"
            paths = {"path": scope["path"][len(below) :], "raw_path": scope["raw_path"][len(below) :]}
            await _app_of(run)({**scope, **paths, "root_path": below}, receive, send)
        finally:
            run.leave()


class PoolSearcher:
    """Searches the projects that a request names."""

    def __init__(self, pool: ProjectPool, gate: PoolGate) -> None:
        self._pool = pool
        self._gate = gate

    async def search(self, scope: Scope, names: object, request: Any) -> Response:
        """Return the merged answer of some projects.

        Args:
            names: Names of the projects, not yet checked.
            request: The other parameters: of a query string as pairs, of a body as a mapping.
        """
        if not isinstance(names, list) or not 1 <= len(names) <= MAX_PROJECTS or len(set(map(str, names))) < len(names):
            message = f"project must be the names of 1 to {MAX_PROJECTS} different projects"
            return problem(400, "INVALID_REQUEST", message)
        members = [self._gate.find(name, scope) for name in names]
        for member in members:
            if refusal := self._gate.refusal(member, scope):
                return refusal
        present = [member for member in members if member]
        if len(present) < len(members):
            return unavailable(404)
        runs = await asyncio.gather(*map(self._pool.acquire, present), return_exceptions=True)
        try:
            errors = [run for run in runs if isinstance(run, SearchSocketError)]
            if len(errors) == len(runs):
                return error_response(errors[0])
            searcher = SiteSearcher([_site(member, run) for member, run in zip(present, runs, strict=True)])
            if isinstance(request, list):
                return await searcher.search_by_url(scope, request)
            return await searcher.search_by_body(scope, request)
        finally:
            for run in runs:
                if isinstance(run, Run):
                    run.leave()

    async def pass_on(self, scope: Scope, name: str, endpoint: str, body: bytes) -> Response:
        """Return the answer of one project's endpoint to a body."""
        member = self._gate.find(name, scope)
        if refusal := self._gate.refusal(member, scope):
            return refusal
        if member is None:
            return unavailable(404)
        try:
            run = await self._pool.acquire(member)
        except SearchSocketError as error:
            return error_response(error)
        try:
            site = _site(member, run)
            path = f"{site.prefix}/{endpoint}"
            return (await SiteSearcher([site]).ask(site, scope, path, body=body)).response()
        finally:
            run.leave()


def _app_of(run: Run) -> ASGIApp:
    assert run.site
    assert run.site.app
    return run.site.app


def _site(member: Member, run: Run | BaseException) -> ServedSite:
    if isinstance(run, Run) and run.site:
        return run.site
    if isinstance(run, BaseException) and not isinstance(run, SearchSocketError):
        raise run
    return ServedSite(member.listed.project, member.listed.name, member.listed.name, "", None)
