"""Open several projects, each as a separate application."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI

from search_api.app import create_app
from searchsocket.errors import SearchSocketError
from searchsocket.project.project import Project
from searchsocket.serving.pulled import artifacts_address, open_pulled
from searchsocket.serving.service import OnError, SearchService
from searchsocket.serving.site_names import site_names
from searchsocket.web.urls.site import site_origin


@dataclass(frozen=True, slots=True)
class ServedSite:
    """One of several projects in a service."""

    project: Project
    name: str  # in addresses
    title: str
    address: str  # scheme and host of its pages; "" = those of the page that searches
    app: FastAPI | None  # None: it could not start

    @property
    def prefix(self) -> str:
        """The prefix of the project's endpoints, such as `/api`."""
        return self.project.settings.api.path.rpartition("/")[0]


def open_sites(
    projects: Sequence[Project],
    *,
    environ: Mapping[str, str],
    host: str,
    tokens: Sequence[str],
    dev: bool,
    on_error: OnError,
) -> list[ServedSite]:
    """Open each project; a project that cannot be opened is reported and has no application.

    Args:
        tokens: Of each project, see `create_app`.

    Raises:
        SearchSocketError: None can be opened.
    """
    sites, errors = [], []
    for project, name, token in zip(projects, site_names(projects), tokens, strict=True):
        try:
            sites.append(_open_site(project, name, environ=environ, host=host, token=token, dev=dev, on_error=on_error))
        except SearchSocketError as error:
            errors.append(error)
            on_error(error)
            sites.append(ServedSite(project, name, project.id, "", None))
    if len(errors) == len(sites):
        raise errors[0]
    return sites


def _open_site(project: Project, name: str, *, environ: Mapping[str, str], **options: Any) -> ServedSite:
    store = None
    if address := artifacts_address(project, ""):
        pulled = open_pulled(project, environ, address)
        project, store = pulled.project, pulled.store
    app = create_app(project, environ=environ, store=store, **options)
    service: SearchService = app.state.service
    origin = site_origin(project.settings, service.scopes.default)
    return ServedSite(project, name, service.site_title() or project.id, origin, app)
