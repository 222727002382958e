"""Selection of scopes to prune, from values only."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import InvalidRequest
from searchsocket.pipeline.branches.pruning import PruneRules, ScopeAge, judge, seconds_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY_S = 86_400.0
ALIVE = {"main": "main", "feature-a": "feature-a"}


def scope_age(name: str, days: float | None) -> ScopeAge:
    return ScopeAge(name, "" if days is None else (NOW - timedelta(days=days)).isoformat())


SCOPES = [
    scope_age("main", 1),
    scope_age("feature-a", 90),
    scope_age("gone", 2),
    scope_age("gone-long-ago", 90),
    scope_age("undated", None),
]


def going(rules: PruneRules) -> list[str]:
    return [verdict.scope for verdict in judge(SCOPES, rules, NOW) if verdict.goes]


def test_scopes_of_no_branch_go() -> None:
    assert going(PruneRules(ALIVE)) == ["gone", "gone-long-ago", "undated"]


def test_old_scopes_go_and_those_of_unknown_age_stay() -> None:
    assert going(PruneRules(older_than_s=30 * DAY_S)) == ["feature-a", "gone-long-ago"]


def test_one_reason_or_all() -> None:
    assert going(PruneRules(ALIVE, 30 * DAY_S, "any")) == ["feature-a", "gone", "gone-long-ago", "undated"]
    assert going(PruneRules(ALIVE, 30 * DAY_S, "all")) == ["gone-long-ago"]


def test_every_verdict_has_its_reason() -> None:
    verdicts = {item.scope: item.reason for item in judge(SCOPES, PruneRules(ALIVE, 30 * DAY_S, "all", ("ma*",)), NOW)}
    assert verdicts == {
        "main": "protected",
        "feature-a": "its branch exists",
        "gone": "its last run was 2 days ago",
        "gone-long-ago": "its branch no longer exists; no run for 90 days",
        "undated": "its age is unknown",
    }


@given(
    alive=st.none() | st.dictionaries(st.sampled_from([scope.name for scope in SCOPES]), st.just("branch")),
    older_than_s=st.none() | st.floats(0, 200 * DAY_S),
    match=st.sampled_from(["any", "all"]),
    protected=st.sets(st.sampled_from([scope.name for scope in SCOPES])),
)
def test_the_protected_stay_and_all_is_never_more_than_any(alive, older_than_s, match, protected) -> None:  # type: ignore[no-untyped-def]
    result = going(PruneRules(alive, older_than_s, match, tuple(protected)))
    assert not protected & set(result)
    assert set(going(PruneRules(alive, older_than_s, "all", tuple(protected)))) <= set(result) or match == "all"
    if alive is not None and older_than_s is None:
        assert set(result) == {scope.name for scope in SCOPES} - alive.keys() - protected


@pytest.mark.parametrize(("text", "hours"), [("12h", 12), ("30d", 720), ("2w", 336)])
def test_durations(text: str, hours: int) -> None:
    assert seconds_of(text) == hours * 3600


@pytest.mark.parametrize("text", ["", "d", "30", "0d", "-1d", "1.5d", "1y", "999999d", "³d", "30 d"])
def test_an_invalid_duration_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidRequest, match="12h, 30d or 8w"):
        seconds_of(text)
