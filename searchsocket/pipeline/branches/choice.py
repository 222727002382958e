"""Select scopes by globs, from existing branches and stored scopes."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from searchsocket.backends import Backends
from searchsocket.errors import InvalidRequest, SearchSocketError
from searchsocket.pipeline.branches.listing import selected_scopes
from searchsocket.pipeline.branches.scopes import branch_among, existing_scopes, live_branches_or_error
from searchsocket.project.project import Project
from searchsocket.types import Scope


def choose_scopes(
    project: Project, backends: Backends, globs: Sequence[str]
) -> tuple[list[Scope], SearchSocketError | None]:
    """Return the scopes whose name or branch matches one of `globs`, by name, and the error of listing the branches.

    A scope whose branch no longer exists is left out, unless the branches cannot be listed.

    Raises:
        InvalidRequest: A glob matches no scope.
        ProjectMismatch, PermissionDenied: The index belongs to another project or user.
    """
    settings = project.settings.branches
    branches, problem = live_branches_or_error(project)
    recorded = backends.state.branches()
    existing = {scope.name: branch_among(scope.name, recorded) for scope in existing_scopes(project, backends.store)[0]}
    if branches is None:
        candidates: Mapping[str, str] = existing
    else:
        alive = branches.scopes()
        selected = selected_scopes(branches, settings.include, settings.exclude)
        candidates = {**{name: alive[name] for name in existing if name in alive}, **selected}
    for glob in globs:
        if not any(_fits(glob, name, branch) for name, branch in candidates.items()):
            raise InvalidRequest(
                f"no scope and no existing branch matches {glob[:80]!r}; `searchsocket scopes` lists the scopes"
            )
    fitting = {name: branch for name, branch in candidates.items() if any(_fits(glob, name, branch) for glob in globs)}
    return [project.scope_named(name, branch) for name, branch in sorted(fitting.items())], problem


def _fits(glob: str, name: str, branch: str) -> bool:
    return fnmatchcase(name, glob) or fnmatchcase(branch, glob)
