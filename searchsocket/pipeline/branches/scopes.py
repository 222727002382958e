"""All stored scopes of a project: the same list for `clean`, `prune`, `scopes` and Dagster."""

from collections.abc import Iterator
from pathlib import Path

from searchsocket.errors import PermissionDenied, ProjectMismatch, SearchSocketError
from searchsocket.project.project import Project
from searchsocket.project.scopes import is_scope_name
from searchsocket.stores.base import VectorStore
from searchsocket.types import Generation, Scope


def existing_scopes(project: Project, store: VectorStore) -> tuple[list[Scope], SearchSocketError | None]:
    """Every scope that has an index, a state folder or a mirror here, by name, and why the index cannot be listed.

    A damaged index hides no scope.

    Raises:
        ProjectMismatch: The index belongs to another project.
        PermissionDenied: It is another user's.
    """
    problem = None
    names = {path.name for path in _folders(project) if path.is_dir() and is_scope_name(path.name)}
    try:
        names |= {generation.scope for generation in store.list_scopes()}
    except (ProjectMismatch, PermissionDenied):
        raise
    except SearchSocketError as error:
        problem = error
    return [project.scope_named(name) for name in sorted(names)], problem


def generations_of(store: VectorStore) -> dict[str, Generation]:
    """The live generation by scope; none where the index cannot be listed."""
    try:
        return {generation.scope: generation for generation in store.list_scopes()}
    except SearchSocketError:
        return {}


def _folders(project: Project) -> Iterator[Path]:
    for folder in (project.mirror_dir, project.state_dir / "index"):
        if folder.is_dir():
            yield from folder.iterdir()
