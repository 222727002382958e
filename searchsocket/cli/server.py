"""Start the service: of one project, of several sites, or of every project of a location. Loads the server."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from search_api.app import create_app
from search_api.run.server import ServerOptions
from search_api.run.server import serve as serve_app
from search_api.run.workers import Workers
from search_api.sites import ServedSite
from search_api.sites.app import create_sites_app, open_sites
from search_api.sites.many import create_many_app
from search_api.sites.pool import PoolOptions, ProjectPool
from searchsocket.cli.output import count, safe, say
from searchsocket.cli.service_log import ServiceLog
from searchsocket.cli.service_socket import answering
from searchsocket.errors import ScopeLocked, StateUnavailable
from searchsocket.project.access import TOKEN_FILE, configured_key, make_token
from searchsocket.project.project import Project
from searchsocket.serving.project_list import project_list
from searchsocket.serving.pulled import artifacts_address, open_pulled
from searchsocket.serving.scopes import NOTHING_PUBLIC, ReadableScopes

if TYPE_CHECKING:
    from searchsocket.agents.library import LibraryMakers


@dataclass(frozen=True, slots=True)
class ProjectsLocation:
    """A folder or object store with many projects, and the limits of their service."""

    address: str
    memory_mb: int
    disk_mb: int
    dev: bool
    prepare: Callable[[Project], Project]  # applies the options of the command to a project


@dataclass(frozen=True, slots=True)
class Listener:
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
        serve_app(
            project,
            host=self.host,
            port=self.port,
            environ=os.environ,
            on_start=on_start,
            workers=Workers(self.workers, worker) if self.workers > 1 else None,
            options=ServerOptions(self.drain_s, self.metrics_port, self.json_lines),
            **more,
        )

    def log(self) -> ServiceLog:
        """The log of the service."""
        return ServiceLog(json_lines=self.json_lines)


def serve_one(project: Project, listener: Listener, url: str, *, dev: bool, others: "LibraryMakers | None") -> None:
    """Serve one project."""
    local_project, store = project, None
    if address := artifacts_address(project, url):
        pulled = open_pulled(project, os.environ, address)
        project, store = pulled.project, pulled.store
    key = configured_key(project, os.environ)
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

    log = listener.log()
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


def serve_sites(projects: Sequence[Project], listener: Listener, *, dev: bool) -> None:
    """Serve several projects, and one search over all of them."""
    log = listener.log()
    keys = [configured_key(project, os.environ) for project in projects]
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


def serve_many(base: Project, listener: Listener, location: ProjectsLocation) -> None:
    """Serve every project of a location."""
    log = listener.log()
    app = _many_worker(base, listener.host, location, log)
    key = bool(configured_key(base, os.environ))

    def greet(url: str) -> None:
        address = f"{url}/sites/NAME{base.settings.api.path}?q=..."
        say(f"Serving {count(app.state.projects, 'project')} at {address}   (Ctrl-C stops)")
        if not app.state.projects:
            say(
                f"{location.address} has no project: in a folder, a project is a folder that was indexed or has a "
                "searchsocket.toml; in an object store, a prefix that was pushed to. New projects are added without a "
                "restart."
            )
        for line in _trust(base, key=key, token=False, dev=location.dev):
            say(line)

    worker = partial(_many_worker, base, listener.host, location, log)
    listener.serve(base, worker, greet, on_error=log, app=app)


def _many_worker(base: Project, host: str, location: ProjectsLocation, log: ServiceLog) -> Any:
    """Build the application for every project of a location."""
    projects = project_list(location.address, base, os.environ, location.prepare)
    options = PoolOptions(
        environ=os.environ,
        host=host,
        dev=location.dev,
        token_of=lambda project: "" if configured_key(project, os.environ) else _token(project),
        on_error=log,
        max_memory_bytes=location.memory_mb * 1_000_000,
        max_disk_bytes=location.disk_mb * 1_000_000,
    )
    pool = ProjectPool(projects, options)
    scan_s = base.settings.artifacts.poll_seconds
    return create_many_app(pool, base, environ=os.environ, host=host, dev=location.dev, scan_s=scan_s, on_error=log)


def _worker(project: Project, host: str, token: str, dev: bool, address: str, log: ServiceLog) -> Any:
    """Build the application in a worker, which must open its own store."""
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
) -> tuple[Sequence[ServedSite], Any]:
    """Open the projects, and build the application over them."""
    sites = open_sites(projects, environ=os.environ, host=host, tokens=tokens, dev=dev, on_error=log)
    return sites, create_sites_app(sites, host, log)


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
        yield f"Send the key in {project.settings.api.key_env} for full access"
    if token:
        yield f"Send the token in {safe(str(project.state_dir / TOKEN_FILE))} for full access"
    if dev:
        yield (
            "--dev has no effect, because a key is set"
            if key
            else "Every program on this machine has full access (--dev)"
        )
