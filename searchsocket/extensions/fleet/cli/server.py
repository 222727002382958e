"""Start the service of several sites, or of every project of a location. Loads the server."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from searchsocket.cli.output import count, safe, say
from searchsocket.cli.server import Listener, service_token, trust_lines
from searchsocket.cli.service_log import ServiceLog
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.extensions.fleet.api.app import create_sites_app, open_sites
from searchsocket.extensions.fleet.api.many import create_many_app
from searchsocket.extensions.fleet.api.pool import PoolOptions, ProjectPool
from searchsocket.extensions.fleet.project_list import project_list
from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.access import configured_key
from searchsocket.project.project import Project


@dataclass(frozen=True, slots=True)
class ProjectsLocation:
    """A folder or object store with many projects, and the limits of their service."""

    address: str
    memory_mb: int
    disk_mb: int
    dev: bool
    prepare: Callable[[Project], Project]  # applies the options of the command to a project


def serve_sites(projects: Sequence[Project], listener: Listener, *, dev: bool) -> None:
    """Serve several projects, and one search over all of them."""
    log = listener.log()
    keys = [configured_key(project, os.environ) for project in projects]
    tokens = ["" if key else service_token(project) for project, key in zip(projects, keys, strict=True)]
    sites, app = _sites_and_app(projects, listener.host, tokens, dev, log)
    first = projects[0].settings.api

    def greet(url: str) -> None:
        page = f"{url}/ and " if first.page else ""
        say(f"Searching {len(sites)} sites at {page}{url}{first.path}?q=...   (Ctrl-C stops)")
        for site, key, token in zip(sites, keys, tokens, strict=True):
            say(f"{safe(site.title)}: {url}/sites/{site.name}/")
            for line in trust_lines(site.project, key=bool(key), token=bool(token), dev=dev):
                say(f"  {line}")

    worker = partial(_sites_worker, projects, listener.host, tokens, dev, log)
    listener.serve(projects[0], worker, greet, on_error=log, app=app)


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
        for line in trust_lines(base, key=key, token=False, dev=location.dev):
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
        token_of=lambda project: "" if configured_key(project, os.environ) else service_token(project),
        on_error=log,
        max_memory_bytes=location.memory_mb * 1_000_000,
        max_disk_bytes=location.disk_mb * 1_000_000,
    )
    pool = ProjectPool(projects, options)
    scan_s = artifacts_of(base).poll_seconds
    return create_many_app(pool, base, environ=os.environ, host=host, dev=location.dev, scan_s=scan_s, on_error=log)


def _sites_worker(projects: Sequence[Project], host: str, tokens: Sequence[str], dev: bool, log: ServiceLog) -> Any:
    """Build the application for several projects in a worker."""
    return _sites_and_app(projects, host, tokens, dev, log)[1]


def _sites_and_app(
    projects: Sequence[Project], host: str, tokens: Sequence[str], dev: bool, log: ServiceLog
) -> tuple[Sequence[ServedSite], Any]:
    """Open the projects, and build the application over them."""
    sites = open_sites(projects, environ=os.environ, host=host, tokens=tokens, dev=dev, on_error=log)
    return sites, create_sites_app(sites, host, log)
