"""Prune a project: collect scopes and existing branches, decide, and delete."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from searchsocket.backends import Backends
from searchsocket.errors import BranchesUnknown, ConfigError, ConfigMissing, InvalidRequest, SearchSocketError
from searchsocket.pipeline.branches.listing import Branches, scopes_of
from searchsocket.pipeline.branches.scopes import existing_scopes, generations_of, live_branches
from searchsocket.pipeline.run.forget import forget_scope
from searchsocket.project.project import Project
from searchsocket.project.scopes import sanitise_scope
from searchsocket.system.errors import system_error

Match = Literal["any", "all"]
_DAY_S = 86_400.0
_UNITS_S = {"h": 3_600.0, "d": _DAY_S, "w": 7 * _DAY_S}


@dataclass(frozen=True, slots=True)
class ScopeAge:
    """A stored scope."""

    name: str
    last_run_at: str = ""  # ISO 8601, when its last run ended or published; "" = unknown


@dataclass(frozen=True, slots=True)
class PruneRules:
    """Conditions under which a scope may be deleted."""

    alive: Mapping[str, str] | None = None  # existing scopes -> branch, or another name; None = no such rule
    older_than_s: float | None = None  # since its last run; None = no such rule
    match: Match = "any"  # "any": one rule is enough; "all": every rule must apply
    protected: Collection[str] = ()  # globs over scope names that are never deleted


@dataclass(frozen=True, slots=True)
class PruneDecision:
    """Decision about one scope, with its reason."""

    scope: str
    goes: bool
    reason: str


def judge(scopes: Sequence[ScopeAge], rules: PruneRules, now: datetime) -> list[PruneDecision]:
    """Decide about every scope, in the given order."""
    return [_decide(scope, rules, now) for scope in scopes]


def _decide(scope: ScopeAge, rules: PruneRules, now: datetime) -> PruneDecision:
    if is_protected(scope.name, rules.protected):
        return PruneDecision(scope.name, goes=False, reason="protected")
    delete_reasons: list[str] = []
    keep_reasons: list[str] = []
    if rules.alive is not None:
        branch = rules.alive.get(scope.name)
        if branch is None:
            delete_reasons.append("its branch no longer exists")
        else:
            keep_reasons.append(f"branch {branch}" if branch != scope.name else "its branch exists")
    if rules.older_than_s is not None:
        age_s = _age_s(scope.last_run_at, now)
        if age_s is None:
            keep_reasons.append("its age is unknown")
        elif age_s > rules.older_than_s:
            delete_reasons.append(f"no run for {age_s / _DAY_S:.0f} days")
        else:
            keep_reasons.append(f"its last run was {age_s / _DAY_S:.0f} days ago")
    goes = bool(delete_reasons) and (rules.match == "any" or not keep_reasons)
    return PruneDecision(scope.name, goes, "; ".join(delete_reasons if goes else keep_reasons or delete_reasons))


def is_protected(scope: str, patterns: Collection[str]) -> bool:
    """Return True if a scope is never deleted, by globs over scope names."""
    return any(fnmatchcase(scope, pattern) for pattern in patterns)


def _age_s(at: str, now: datetime) -> float | None:
    try:
        return (now - datetime.fromisoformat(at)).total_seconds()
    except (ValueError, TypeError):  # empty, not a date, or without a time zone
        return None


def seconds_of(text: str) -> float:
    """Convert `12h`, `30d` or `8w` to seconds.

    Raises:
        InvalidRequest: The text is not such a duration.
    """
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS_S or not number.isdecimal() or len(number) > 5 or not int(number):
        raise InvalidRequest(f"{text[:40]!r} is not a duration; use hours, days or weeks, such as 12h, 30d or 8w")
    return int(number) * _UNITS_S[unit]


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
