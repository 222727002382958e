"""Start the service of one project. Loads the server."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from search_api.app import create_app
from search_api.run.server import ServerOptions
from search_api.run.server import serve as serve_app
from search_api.run.workers import Workers
from searchsocket.cli.output import safe, say
from searchsocket.cli.service_log import ServiceLog
from searchsocket.errors import ScopeLocked, StateUnavailable
from searchsocket.project.access import TOKEN_FILE, configured_key, make_token
from searchsocket.project.project import Project
from searchsocket.serving.scopes import NOTHING_PUBLIC, PublishedScopes, ReadableScopes
from searchsocket.stores.base.vector_store import VectorStore

if TYPE_CHECKING:
    from searchsocket.agents.library import WithOthers


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


class OpenProject(NamedTuple):
    """A project, and the store that answers about it."""

    project: Project
    store: VectorStore | None = None  # None = that of its settings; another index may differ from the local one


def serve_one(
    local_project: Project,
    listener: Listener,
    *,
    dev: bool,
    libraries: "WithOthers | None",
    open_project: Callable[[Project], OpenProject] = OpenProject,
) -> None:
    """Serve one project.

    Args:
        libraries: Adds other projects that agents can search.
        open_project: Opens it, here and in each worker.
    """
    project, store = open_project(local_project)
    key = configured_key(project, os.environ)
    token = "" if key else service_token(project)
    agents = project.settings.mcp

    def greet(url: str) -> None:
        page = f"{url}/ and " if project.settings.api.page else ""
        say(f"Searching at {page}{url}{project.settings.api.path}?q=...   (Ctrl-C stops)")
        if agents.enable:
            say(f"Coding agents: {url}{agents.http.path} (Model Context Protocol)")
        if isinstance(store, PublishedScopes) and not ReadableScopes(project, os.environ, store.public_scopes).public:
            say(NOTHING_PUBLIC)
        for line in trust_lines(project, key=bool(key), token=bool(token), dev=dev):
            say(line)

    log = listener.log()
    worker = partial(_worker, local_project, listener.host, token, dev, open_project, log)
    listener.serve(
        project,
        worker,
        greet,
        token=token,
        dev=dev,
        on_error=log,
        store=store,
        libraries=libraries,
    )


def _worker(
    project: Project,
    host: str,
    token: str,
    dev: bool,
    open_project: Callable[[Project], OpenProject],
    log: ServiceLog,
) -> Any:
    """Build the application in a worker, which must open its own store."""
    project, store = open_project(project)
    return create_app(project, environ=os.environ, host=host, token=token, dev=dev, on_error=log, store=store)


def service_token(project: Project) -> str:
    """Return the token; "" if the state folder is read-only, which is enough to serve anonymous callers."""

    try:
        return make_token(project)
    except (StateUnavailable, ScopeLocked) as error:
        click.echo(
            f"no token: {safe(str(error))}; set {project.settings.api.key_env} to identify trusted callers", err=True
        )
        return ""


def trust_lines(project: Project, *, key: bool, token: bool, dev: bool) -> Iterator[str]:
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
