"""`searchsocket serve`: the search API of this project (spec 14)."""

import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchsocket.cli.answering import answering
from searchsocket.cli.options import load_project, offer_options, offering, projects_option, quiet_option
from searchsocket.cli.output import count, safe, say
from searchsocket.errors import ScopeLocked, ScopeNotIndexed, SearchSocketError, StateUnavailable
from searchsocket.project.access import TOKEN_FILE, configured_key, make_token
from searchsocket.project.project import Project
from searchsocket.serving.hosts import is_loopback
from searchsocket.serving.project_list import project_list
from searchsocket.serving.pulled import artifacts_address, open_pulled
from searchsocket.serving.scopes import NOTHING_PUBLIC, ReadableScopes
from searchsocket.system.errors import system_error

if TYPE_CHECKING:
    from search_api.sites.site import ServedSite
    from searchsocket.agents.library import LibraryMakers

DEFAULT_PORT = 8181
MAX_WORKERS = 64
_REPEAT_S = 600.0  # a repeated warning is written again after so long
_MAX_LINES = 1_000


@click.command()
@projects_option("Project folder; repeat to search several sites at once. Default: the current folder.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="Port; 0 = any free port."
)
@click.option("--scope", "scopes", multiple=True, metavar="NAME", help="Scope that is public; repeat for several.")
@click.option(
    "--artifacts", "url", default="", metavar="URL", help="Serve a pushed index from this URL; needs no local index."
)
@click.option(
    "--projects",
    "place",
    default="",
    metavar="DIR|URL",
    help="Serve every project in this folder, or below this URL of an object store, each when it is asked.",
)
@click.option(
    "--memory-mb",
    type=click.IntRange(16, 1_000_000),
    default=600,
    show_default=True,
    help="With --projects: memory of each process for open projects; the least recently used are closed.",
)
@click.option(
    "--disk-mb",
    type=click.IntRange(1, 100_000_000),
    default=20_000,
    show_default=True,
    help="With --projects: disk for pulled indexes; the least recently used are removed.",
)
@click.option("--no-page", is_flag=True, help="Do not serve the search page at /.")
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_WORKERS),
    default=1,
    show_default=True,
    help="Number of worker processes; each counts the rate limit separately.",
)
@click.option(
    "--drain-seconds",
    type=click.FloatRange(0, 3600),
    default=0.0,
    show_default=True,
    help="After SIGTERM, seconds to go on answering while /api/ready returns 503.",
)
@click.option("--metrics-port", type=click.IntRange(1, 65535), help="Serve /metrics at this port too, without a key.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of warnings on stderr.",
)
@click.option("--access-log", is_flag=True, help="Write one JSON line per request to stderr.")
@quiet_option
@click.option("--dev", is_flag=True, help="Trust every program on this machine while no key is set.")
@click.option("--mcp/--no-mcp", default=None, help="Also run the MCP server; default: mcp.enable, or with --dev.")
@offer_options
def serve(
    roots: tuple[Path, ...],
    host: str,
    port: int,
    scopes: tuple[str, ...],
    url: str,
    place: str,
    memory_mb: int,
    disk_mb: int,
    no_page: bool,
    workers: int,
    drain_seconds: float,
    metrics_port: int | None,
    log_format: str,
    access_log: bool,
    dev: bool,
    mcp: bool | None,
    tools: str | None,
    structured_content: bool,
    sync: bool | None = None,
    others: "LibraryMakers | None" = None,
) -> None:
    """Serve the search API until Ctrl-C.

    It serves new generations without a restart. Callers with the key, or with the token from the state folder if no
    key is set, see every scope and source paths.

    \b
    Example:
      searchsocket serve --port 8181 --workers 2
      searchsocket serve --project apps/docs --project apps/blog
      searchsocket serve --artifacts https://files.example.com/search
      searchsocket serve --projects s3://bucket/search --memory-mb 600
      curl "http://127.0.0.1:8181/api/search?q=install"
      curl -H "Authorization: Bearer $(cat .searchsocket/serve.token)" "http://127.0.0.1:8181/api/search?q=install"
    """
    if dev and not is_loopback(host):
        raise click.UsageError(f"--dev trusts every program on this machine, but other machines can reach {host}")
    if url and len(roots) > 1:
        raise click.UsageError("--artifacts serves one index; set artifacts.url in each project instead")

    if place and (url or len(roots) > 1):
        raise click.UsageError(
            "--projects serves all projects of one place; leave out --artifacts and repeated --project"
        )
    options = _Options(scopes, no_page, access_log, mcp, dev, tools, structured_content, sync, workers)
    listener = _Listener(host, port, workers, drain_seconds, metrics_port, log_format == "json")
    roots = roots or (Path(),)
    if place:
        _serve_many(load_project(roots[0]), listener, _Place(place, memory_mb, disk_mb, dev, options))
        return
    projects = [options.applied(load_project(root)) for root in roots]
    if len(projects) > 1:
        _serve_sites(projects, listener, dev=dev)
    else:
        _serve_one(projects[0], listener, url, dev=dev, others=others)


@dataclass(frozen=True, slots=True)
class _Options:
    """Options that change the settings of each project."""

    scopes: tuple[str, ...]
    no_page: bool
    access_log: bool
    mcp: bool | None
    dev: bool
    tools: str | None
    structured_content: bool
    sync: bool | None
    workers: int

    def applied(self, project: Project) -> Project:
        """Return the project with these options."""
        options = {
            "scopes": tuple(project.scope(os.environ, name).name for name in self.scopes) or None,
            "page": False if self.no_page else None,
            "access_log": self.access_log or None,
        }
        changes = {name: value for name, value in options.items() if value is not None}
        agents = offering(project.settings.mcp, self.tools, structured_content=self.structured_content)
        may_sync = agents.sync if agents.sync is not None else self.sync
        agents = agents.model_copy(update={"enable": _first(self.mcp, agents.enable, self.dev), "sync": may_sync})
        sections = {"api": project.settings.api.model_copy(update=changes), "mcp": agents}
        return share_of_budget(replace(project, settings=project.settings.model_copy(update=sections)), self.workers)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder or object store with many projects, and the limits of their service."""

    address: str
    memory_mb: int
    disk_mb: int
    dev: bool
    options: _Options


@dataclass(frozen=True, slots=True)
class _Listener:
    """Address and behaviour of the server."""

    host: str
    port: int
    workers: int
    drain_s: float
    metrics_port: int | None
    json_lines: bool

    def serve(self, project: Project, worker: Callable[[], Any], on_start: Callable[[str], None], **more: Any) -> None:
        """Run the server.

        Args:
            worker: Builds the application in a worker.
            more: Further arguments of `search_api.run.server.serve`.
        """
        from search_api.run.server import ServerOptions, serve
        from search_api.run.workers import Workers

        serve(
            project,
            host=self.host,
            port=self.port,
            environ=os.environ,
            on_start=on_start,
            workers=Workers(self.workers, worker) if self.workers > 1 else None,
            options=ServerOptions(self.drain_s, self.metrics_port, self.json_lines),
            **more,
        )


def _serve_one(project: Project, listener: _Listener, url: str, *, dev: bool, others: "LibraryMakers | None") -> None:
    """Serve one project."""
    local_project, store = project, None
    if address := artifacts_address(project, url):
        pulled = open_pulled(project, os.environ, address)
        project, store = pulled.project, pulled.store
    key = configured_key(project.settings.api, os.environ)
    token = "" if key else _token(project)
    agents = project.settings.mcp

    def greet(url: str) -> None:
        page = f"{url}/ and " if project.settings.api.page else ""
        say(f"Searching at {page}{url}{project.settings.api.path}?q=...   (Ctrl-C stops)")
        if agents.enable:
            say(f"Coding agents: {url}{agents.http.path} (Model Context Protocol)")
        if store and not ReadableScopes(project, os.environ, store.public_scopes).public:
            say(NOTHING_PUBLIC)
        for line in _trust(project, key=bool(key), token=bool(token), dev=dev):
            say(line)

    log = ServiceLog(json_lines=listener.json_lines)
    worker = partial(_worker, local_project, listener.host, token, dev, address, log)
    listener.serve(
        project,
        worker,
        greet,
        token=token,
        dev=dev,
        on_error=log,
        store=store,
        others=others,
        # A pulled index may differ from the local one.
        beside=(lambda _: nullcontext()) if address else partial(answering, local_project, os.environ),
    )


def _serve_sites(projects: Sequence[Project], listener: _Listener, *, dev: bool) -> None:
    """Serve several projects, and one search over all of them."""
    log = ServiceLog(json_lines=listener.json_lines)
    keys = [configured_key(project.settings.api, os.environ) for project in projects]
    tokens = ["" if key else _token(project) for project, key in zip(projects, keys, strict=True)]
    sites, app = _sites_and_app(projects, listener.host, tokens, dev, log)
    first = projects[0].settings.api

    def greet(url: str) -> None:
        page = f"{url}/ and " if first.page else ""
        say(f"Searching {len(sites)} sites at {page}{url}{first.path}?q=...   (Ctrl-C stops)")
        for site, key, token in zip(sites, keys, tokens, strict=True):
            say(f"{safe(site.title)}: {url}/sites/{site.name}/")
            for line in _trust(site.project, key=bool(key), token=bool(token), dev=dev):
                say(f"  {line}")

    @contextmanager
    def answering_all(_: object) -> Iterator[None]:
        with ExitStack() as stack:
            for site in sites:
                if site.app and not artifacts_address(site.project, ""):
                    stack.enter_context(answering(site.project, os.environ, site.app.state.service))
            yield

    worker = partial(_sites_worker, projects, listener.host, tokens, dev, log)
    listener.serve(
        projects[0],
        worker,
        greet,
        on_error=log,
        beside=answering_all,
        app=app,
    )


def _serve_many(base: Project, listener: _Listener, place: _Place) -> None:
    """Serve every project of a place."""
    log = ServiceLog(json_lines=listener.json_lines)
    app = _many_worker(base, listener.host, place, log)
    key = bool(configured_key(base.settings.api, os.environ))

    def greet(url: str) -> None:
        address = f"{url}/sites/NAME{base.settings.api.path}?q=..."
        say(f"Serving {count(app.state.projects, 'project')} at {address}   (Ctrl-C stops)")
        if not app.state.projects:
            say(
                f"{place.address} has no project: in a folder, a project is a folder that was indexed or has a "
                "searchsocket.toml; in an object store, a prefix that was pushed to. New ones appear by themselves."
            )
        for line in _trust(base, key=key, token=False, dev=place.dev):
            say(line)

    worker = partial(_many_worker, base, listener.host, place, log)
    listener.serve(base, worker, greet, on_error=log, app=app)


def _many_worker(base: Project, host: str, place: _Place, log: "ServiceLog") -> Any:
    """Build the application for every project of a place."""
    from search_api.sites.many import create_many_app
    from search_api.sites.pool import PoolOptions, ProjectPool

    projects = project_list(place.address, base, os.environ, place.options.applied)
    options = PoolOptions(
        environ=os.environ,
        host=host,
        dev=place.dev,
        token_of=lambda project: "" if configured_key(project.settings.api, os.environ) else _token(project),
        on_error=log,
        max_memory_bytes=place.memory_mb * 1_000_000,
        max_disk_bytes=place.disk_mb * 1_000_000,
    )
    pool = ProjectPool(projects, options)
    scan_s = base.settings.artifacts.poll_seconds
    return create_many_app(pool, base, environ=os.environ, host=host, dev=place.dev, scan_s=scan_s, on_error=log)


def _first(*values: bool | None) -> bool:
    """Return the first value that is not None."""
    return next(value for value in values if value is not None)


def share_of_budget(project: Project, workers: int) -> Project:
    """Return the project with one worker's share of the query budget, since each worker counts separately."""
    settings = project.settings
    shares = {
        "embeddings": settings.embeddings.model_copy(
            update={"query_usd_a_day": settings.embeddings.query_usd_a_day / workers}
        ),
        "rerank": settings.rerank.model_copy(update={"usd_a_day": settings.rerank.usd_a_day / workers}),
    }
    return replace(project, settings=settings.model_copy(update=shares))


class ServiceLog:
    """Writes errors of the running service to stderr; can be sent to a worker."""

    def __init__(self, *, json_lines: bool = False, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._json_lines = json_lines
        self._monotonic = monotonic
        self._written_at: dict[str, float] = {}

    def __call__(self, error: BaseException) -> None:
        line = trouble_line(error)
        now = self._monotonic()
        if now - self._written_at.get(line, -_REPEAT_S) < _REPEAT_S:
            return
        if len(self._written_at) >= _MAX_LINES:
            self._written_at.clear()
        self._written_at[line] = now
        click.echo(_json_line(error) if self._json_lines else line, err=True)


def _worker(project: Project, host: str, token: str, dev: bool, address: str, log: ServiceLog) -> Any:
    """Build the application in a worker, which must open its own store."""
    from search_api.app import create_app

    store = None
    if address:
        pulled = open_pulled(project, os.environ, address)
        project, store = pulled.project, pulled.store
    return create_app(project, environ=os.environ, host=host, token=token, dev=dev, on_error=log, store=store)


def _sites_worker(projects: Sequence[Project], host: str, tokens: Sequence[str], dev: bool, log: ServiceLog) -> Any:
    """Build the application for several projects in a worker."""
    return _sites_and_app(projects, host, tokens, dev, log)[1]


def _sites_and_app(
    projects: Sequence[Project], host: str, tokens: Sequence[str], dev: bool, log: ServiceLog
) -> "tuple[Sequence[ServedSite], Any]":
    """Open the projects, and build the application over them."""
    from search_api.sites.app import create_sites_app
    from search_api.sites.site import open_sites

    sites = open_sites(projects, environ=os.environ, host=host, tokens=tokens, dev=dev, on_error=log)
    return sites, create_sites_app(sites, host, log)


def trouble_line(error: BaseException) -> str:
    """Return the line for an error that the running service survives."""
    code, message = _code_and_message(error)
    level = _level(code)
    return f"{click.style(f'{level} [{code}]', fg='red' if level == 'error' else 'yellow')}: {safe(message)}"


def _json_line(error: BaseException) -> str:
    from search_api.run.log import json_line

    code, message = _code_and_message(error)
    return json_line(_level(code), message, datetime.now(UTC), code)


def _level(code: str) -> str:
    return "error" if code == SearchSocketError.code else "warning"


def _code_and_message(error: BaseException) -> tuple[str, str]:
    """Return the public code and the message of an error; for a bug, with its place in the code."""
    if isinstance(error, OSError):
        error = system_error("cannot use", Path(os.fsdecode(error.filename or "this system")), error)
    if isinstance(error, ScopeNotIndexed):
        return error.code, f"{error}; waiting for the first index"
    if isinstance(error, SearchSocketError):
        return error.code, str(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return SearchSocketError.code, f"{error or 'an unexpected error'}{where}; this is a bug, please report it"


def _token(project: Project) -> str:
    """Return the token; "" if the state folder is read-only, which is enough to serve anonymous callers."""

    try:
        return make_token(project)
    except (StateUnavailable, ScopeLocked) as error:
        click.echo(
            f"no token: {safe(str(error))}; set {project.settings.api.key_env} to identify trusted callers", err=True
        )
        return ""


def _trust(project: Project, *, key: bool, token: bool, dev: bool) -> Iterator[str]:
    """Describe the trusted callers, without printing the secret."""

    if key:
        yield f"Trusted callers: those that send the key in {project.settings.api.key_env}"
    if token:
        yield f"Trusted callers: those that send the token in {safe(str(project.state_dir / TOKEN_FILE))}"
    if dev:
        yield (
            "--dev has no effect, because a key is set"
            if key
            else "Trusted callers: every program on this machine (--dev)"
        )
