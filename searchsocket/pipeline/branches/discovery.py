"""Find branches that need a scope and have none yet."""

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase

from searchsocket.pipeline.branches.listing import Branches
from searchsocket.project.scopes import sanitise_scope


def selected_scopes(branches: Branches, include: Sequence[str], exclude: Sequence[str]) -> Mapping[str, str]:
    """Scope name -> branch of every living branch whose name fits a glob of `include` and none of `exclude`."""
    return {
        scope: branch
        for scope, branch in sorted(branches.scopes().items())
        if scope == sanitise_scope(branch) and _fits(branch, include) and not _fits(branch, exclude)
    }


def new_scopes(selected: Mapping[str, str], existing: Collection[str], limit: int) -> list[str]:
    """The first `limit` wanted scopes, by name, of which nothing is known."""
    return [scope for scope in sorted(selected) if scope not in existing][:limit]


def _fits(branch: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(branch, pattern) for pattern in globs)
