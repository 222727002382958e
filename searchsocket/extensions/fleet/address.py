"""The address from which a project pulls its index."""

from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.project import Project, index_folder


def artifacts_address(project: Project, url: str) -> str:
    """The URL to pull from: the requested one, or `artifacts.url` if the project has no index; "" = none."""
    if url:
        return url
    root = index_folder(project.settings.vector, project.state_dir)
    return "" if any(root.glob("*/CURRENT")) else artifacts_of(project).url
