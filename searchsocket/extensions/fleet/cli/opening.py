"""Open the project of a service, with its own index or one that was pushed."""

import os

from searchsocket.cli.server import OpenProject
from searchsocket.extensions.fleet.settings import artifacts_address
from searchsocket.project.project import Project


def open_at(url: str, project: Project) -> OpenProject:
    """Open a project with the index that was pushed to a URL, or to `artifacts.url` if it has none of its own."""
    address = artifacts_address(project, url)
    if not address:
        return OpenProject(project)
    from searchsocket.extensions.fleet.pulled import open_pulled  # a service of its own index needs none of it

    pulled = open_pulled(project, os.environ, address)
    return OpenProject(pulled.project, pulled.store)
