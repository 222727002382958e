"""The branch that a scope is of: as it was told once, else looked for among those that live."""

from collections.abc import Mapping

from searchsocket.pipeline.branches.living import live_branches_or_error
from searchsocket.project.project import Project
from searchsocket.project.scopes import branch_in
from searchsocket.types import Scope


def named_scope(project: Project, name: str, known: Mapping[str, str], stated: str = "") -> Scope:
    """A scope by its final name, with its branch where that can be had.

    Args:
        known: Scope -> branch, as the state has it.
        stated: The branch, where whoever asks for the scope says it.
    """
    branch = stated or branch_among(name, known) or _live(project, name)
    return project.scope_named(name, branch)


def branch_among(name: str, *known: Mapping[str, str]) -> str:
    """The branch of a scope as the first of some tables has it, else as its name tells; "" = not known."""
    return next((table[name] for table in known if table.get(name)), "") or branch_in(name)


def _live(project: Project, name: str) -> str:
    branches, _ = live_branches_or_error(project)
    return branches.scopes().get(name, "") if branches else ""
