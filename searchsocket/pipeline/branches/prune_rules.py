"""Decide which scopes to delete (spec 17, prune). Pure, so that plan and execution use one function."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Literal

from searchsocket.errors import InvalidRequest

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
