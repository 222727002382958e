"""The branches that live, as a project's settings say where to ask."""

from searchsocket.errors import BranchesUnknown, ConfigMissing, SearchSocketError
from searchsocket.pipeline.branches.listing import Branches, list_branches
from searchsocket.project.project import Project


def live_branches(project: Project) -> Branches:
    """The living branches of a project; raises what `list_branches` does."""
    settings = project.settings.branches
    return list_branches(project.root, settings.remote, settings.timeout_s)


def live_branches_or_error(project: Project) -> tuple[Branches | None, SearchSocketError | None]:
    """The living branches; None, and the reason, where they cannot be listed."""
    try:
        return live_branches(project), None
    except (BranchesUnknown, ConfigMissing) as error:
        return None, error
