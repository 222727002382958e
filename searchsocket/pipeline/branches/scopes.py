"""All stored scopes of a project: the same list for `clean`, `prune`, `scopes` and Dagster; select some by globs.

Also deletes what interrupted runs left.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path

from searchsocket.backends import Backends
from searchsocket.errors import (
    BranchesUnknown,
    ConfigMissing,
    IndexCorrupt,
    InvalidRequest,
    PermissionDenied,
    ProjectMismatch,
    ScopeLocked,
    SearchSocketError,
)
from searchsocket.pipeline.branches.listing import Branches, list_branches, selected_scopes
from searchsocket.project.project import Project, index_folder
from searchsocket.project.scopes import branch_in, is_scope_name
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.stores.local.layout import read_current, remove_leftovers
from searchsocket.system.disk_space import Freed
from searchsocket.system.files import bytes_below
from searchsocket.system.json_text import JsonObject, json_fields
from searchsocket.system.locks import scope_lock
from searchsocket.text.amounts import age_s
from searchsocket.types import Generation, Scope


def named_scope(project: Project, name: str, branches: Mapping[str, str], stated: str = "") -> Scope:
    """A scope by its final name, with its branch if that is known.

    Args:
        branches: Scope -> branch, from the state.
        stated: The branch, if the caller names it.
    """
    branch = stated or branch_among(name, branches) or _live(project, name)
    return project.scope_named(name, branch)


def branch_among(name: str, *branches_by_scope: Mapping[str, str]) -> str:
    """The branch of a scope from the first table that has it, else from the scope's name; "" = unknown."""
    return next((table[name] for table in branches_by_scope if table.get(name)), "") or branch_in(name)


def _live(project: Project, name: str) -> str:
    branches, _ = live_branches_or_error(project)
    return branches.scopes().get(name, "") if branches else ""


def live_branches(project: Project) -> Branches:
    """The existing branches of a project; raises the errors of `list_branches`."""
    settings = project.settings.branches
    return list_branches(project.root, settings.remote, settings.timeout_s)


def live_branches_or_error(project: Project) -> tuple[Branches | None, SearchSocketError | None]:
    """The existing branches; None and the error if they cannot be listed."""
    try:
        return live_branches(project), None
    except (BranchesUnknown, ConfigMissing) as error:
        return None, error


def existing_scopes(project: Project, store: VectorStore) -> tuple[list[Scope], SearchSocketError | None]:
    """List every scope with an index, state folder or mirror here, by name, and the error of listing the index.

    A damaged index does not hide its scope.

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
    """The live generation by scope; empty if the index cannot be listed."""
    try:
        return {generation.scope: generation for generation in store.list_scopes()}
    except SearchSocketError:
        return {}


def _folders(project: Project) -> Iterator[Path]:
    for folder in (project.mirror_dir, project.state_dir / "index"):
        if folder.is_dir():
            yield from folder.iterdir()


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


def tidy_scopes(project: Project, backends: Backends) -> Iterator[Freed]:
    """Delete the leftovers of interrupted runs, and generations that are neither live nor the previous one.

    A scope with a running run is left alone.
    """
    index = index_folder(project.settings.vector, project.state_dir)
    for scope in existing_scopes(project, backends.store)[0]:
        folders = (index / scope.name, project.state_dir / "tmp" / scope.name)
        before = sum(map(bytes_below, folders))
        note = ""
        try:
            with backends.state.lock(scope.name), scope_lock(index, scope.name):
                remove_leftovers(folders[0], read_current(folders[0]))
                backends.store.discard(scope)
                shutil.rmtree(folders[1], ignore_errors=True)
        except (ScopeLocked, IndexCorrupt) as error:
            note = str(error)
        freed = before - sum(map(bytes_below, folders))
        if freed or note:
            yield Freed("leftovers", scope.name, max(0, freed), note)


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """Summary row of one scope."""

    scope: str
    branch: str  # the branch that the name was derived from; "" = unknown
    alive: bool | None  # True if the branch exists; None = branches could not be listed
    generation: str = ""  # the live one; "" = none
    published_at: str = ""  # ISO 8601
    age_seconds: float | None = None  # since it was published
    pages: int = 0
    chunks: int = 0
    own_chunks: int = 0  # chunks with a text that no other scope has
    model_id: str = ""
    source_revision: str = ""  # commit that was indexed
    bytes: int = 0  # of its index and its mirror
    last_run_at: str = ""  # ISO 8601, when a stage last ended; "" = unknown


@dataclass(frozen=True, slots=True)
class ScopesOverview:
    """The scopes of a project by name, and the errors of listing them."""

    rows: tuple[ScopeRow, ...]
    problems: tuple[SearchSocketError, ...] = ()


def scopes_overview(project: Project, backends: Backends, now: datetime) -> ScopesOverview:
    """Collect every stored scope; changes nothing.

    Raises:
        ProjectMismatch: The index belongs to another project.
        PermissionDenied: It is another user's.
    """
    scopes, problem = existing_scopes(project, backends.store)
    branches, unknown = live_branches_or_error(project)
    alive = branches.scopes() if branches else None
    generations = generations_of(backends.store)
    state = backends.state
    recorded, ends, own = state.branches(), state.last_ends(), state.own_texts()
    index = index_folder(project.settings.vector, project.state_dir)
    rows = []
    for scope in scopes:
        live = generations.get(scope.name)
        rows.append(
            ScopeRow(
                scope=scope.name,
                branch=(live.branch if live else "") or branch_among(scope.name, recorded, alive or {}),
                alive=None if alive is None else scope.name in alive,
                generation=live.name if live else "",
                published_at=live.published_at if live else "",
                age_seconds=age_s(live.published_at, now) if live else None,
                pages=live.pages if live else 0,
                chunks=live.records if live else 0,
                own_chunks=own.get(scope.name, 0),
                model_id=live.model_id if live else "",
                source_revision=live.source_revision if live else "",
                bytes=bytes_below(index / scope.name) + bytes_below(project.mirror_dir / scope.name),
                last_run_at=ends.get(scope.name, ""),
            )
        )
    return ScopesOverview(tuple(rows), tuple(error for error in (problem, unknown) if error))


def to_json(row: ScopeRow, last_run: Mapping[str, str] | None) -> JsonObject:
    """A row for `--json`.

    Args:
        last_run: Its `status` and `runId`; None = no run.
    """
    values = {name: None if value == "" else value for name, value in json_fields(row).items()}
    ended_at = values.pop("lastRunAt")
    return {**values, "lastRun": {"endedAt": ended_at, **(last_run or {})}}
