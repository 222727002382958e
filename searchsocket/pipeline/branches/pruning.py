"""Prune a project: collect scopes and existing branches, decide, and delete."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from searchsocket.backends import Backends
from searchsocket.errors import BranchesUnknown, ConfigError, ConfigMissing, SearchSocketError
from searchsocket.pipeline.branches.listing import Branches, scopes_of
from searchsocket.pipeline.branches.prune_rules import Match, PruneDecision, PruneRules, ScopeAge, is_protected, judge
from searchsocket.pipeline.branches.scopes import existing_scopes, generations_of, live_branches
from searchsocket.pipeline.run.forget import forget_scope
from searchsocket.project.project import Project
from searchsocket.project.scopes import sanitise_scope
from searchsocket.system.errors import system_error


@dataclass(frozen=True, slots=True)
class PruneRequest:
    """Options of one prune; they override the settings."""

    by_branch: bool = False  # scopes without an existing branch; the default if no other rule is set
    scopes_file: Path | None = None  # names of existing branches or scopes, one per line; replaces git
    older_than_s: float | None = None
    match: Match = "any"


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """Verdicts on every scope, by name."""

    verdicts: tuple[PruneDecision, ...]
    listed: str  # where the existing branches were listed; "" if they were not
    alive: Mapping[str, str] | None = None  # existing scopes -> branch; None if not listed
    protected: tuple[str, ...] = ()  # globs over scopes that are never deleted
    problem: SearchSocketError | None = None  # why the index could not be listed

    def is_empty_partition(self, key: str) -> bool:
        """Return True if a partition belongs to neither an existing branch nor a stored scope."""
        is_stored = key in {verdict.scope for verdict in self.verdicts}
        return (
            not is_stored and self.alive is not None and key not in self.alive and not is_protected(key, self.protected)
        )

    @property
    def to_delete(self) -> tuple[PruneDecision, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.goes)


@dataclass(frozen=True, slots=True)
class PruneOutcome:
    """Result of a prune."""

    deleted: tuple[str, ...]
    failed: Mapping[str, SearchSocketError]


def plan_prune(project: Project, environ: Mapping[str, str], request: PruneRequest, now: datetime) -> PrunePlan:
    """Plan a prune without deleting anything.

    Raises:
        BranchesUnknown: The list of git, or of the file, may be incomplete.
    """
    backends = Backends(project, environ, calls=False)
    scopes, problem = existing_scopes(project, backends.store)
    generations, ends = generations_of(backends.store), backends.state.last_ends()
    ages = []
    for scope in scopes:
        live = generations.get(scope.name)
        ages.append(ScopeAge(scope.name, max(live.published_at if live else "", ends.get(scope.name, ""), key=_moment)))
    by_branch = request.by_branch or (request.scopes_file is None and request.older_than_s is None)
    branches = _branches(project, needed=by_branch and request.scopes_file is None)
    alive: Mapping[str, str] | None = None
    listed = ""
    if request.scopes_file is not None:
        alive = scopes_of(_names_in(request.scopes_file))
        listed = str(request.scopes_file)
    elif by_branch and branches is not None:
        alive, listed = branches.scopes(), branches.origin
    protected = protected_scopes(project, environ, branches)
    verdicts = judge(ages, PruneRules(alive, request.older_than_s, request.match, protected), now)
    return PrunePlan(tuple(verdicts), listed, alive, protected, problem)


def apply_prune(
    project: Project,
    environ: Mapping[str, str],
    plan: PrunePlan,
    on_deleted: Callable[[str], None] = lambda scope: None,
) -> PruneOutcome:
    """Delete index, mirror and state of every scope in the plan; a failure does not affect the others."""
    deleted, failed = [], {}
    for verdict in plan.to_delete:
        try:
            forget_scope(project, project.scope_named(verdict.scope), environ, remote=True)
        except SearchSocketError as error:
            failed[verdict.scope] = error
        else:
            deleted.append(verdict.scope)
            on_deleted(verdict.scope)
    return PruneOutcome(tuple(deleted), failed)


def protected_scopes(project: Project, environ: Mapping[str, str], branches: Branches | None) -> tuple[str, ...]:
    """Globs over scopes that are never deleted: configured ones, served ones, and that of the default branch."""
    settings = project.settings
    names = [*settings.branches.protected, *settings.api.scopes]
    if branches is not None and branches.default:
        names.append(sanitise_scope(branches.default))
    with suppress(SearchSocketError):  # on no branch
        names.append(project.scope(environ).name)
    return tuple(dict.fromkeys(names))


def _branches(project: Project, *, needed: bool) -> Branches | None:
    """List the existing branches; if they are not `needed`, only for the default branch, and errors give None."""
    try:
        branches = live_branches(project)
    except (BranchesUnknown, ConfigMissing):
        if needed:
            raise
        return None
    if needed and not branches.has_remote:
        raise BranchesUnknown(
            f"{branches.origin} has no remote, so it may lack branches; pass --scopes-file or --older-than, "
            'or set branches.remote = "." if it has all branches'
        )
    return branches


def _names_in(file: Path) -> list[str]:
    """Read the names of branches or scopes from a file, one per line; lines that begin with `#` are comments.

    Raises:
        BranchesUnknown: The file contains no names, so nothing is known about existing branches.
        ConfigError: The file is not text.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text; write one name per line") from error
    except OSError as error:
        raise system_error("cannot read", file, error) from error
    if names := [name for line in lines if (name := line.strip()) and not name.startswith("#")]:
        return names
    raise BranchesUnknown(f"{file} contains no names, so searchsocket cannot determine which scopes to keep")


def _moment(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return float("-inf")
