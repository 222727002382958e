"""Scope names are safe everywhere and never collide (spec 6.1)."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import ConfigMissing, InvalidScope
from searchsocket.project.scopes import branch_in, is_scope_name, resolve_scope, sanitise_scope, stated_scope
from searchsocket.project.settings.site import ScopeSettings
from searchsocket.system.git import git_environ


def test_an_ordinary_name_stays_as_it_is() -> None:
    assert [sanitise_scope(name) for name in ("main", "v1.2", "feature-a")] == ["main", "v1.2", "feature-a"]


def test_branches_that_differ_only_in_punctuation_or_case_stay_apart() -> None:
    names = {sanitise_scope(name).lower() for name in ("feature/a", "feature-a", "feature_a", "Feature/a", "FEATURE-A")}
    assert len(names) == 5


@pytest.mark.parametrize("name", ["", "..", "///", "...", "-", " ", "❤"])
def test_a_name_with_nothing_usable_is_refused(name: str) -> None:
    with pytest.raises(InvalidScope):
        sanitise_scope(name)


def test_a_branch_named_in_another_script_has_a_scope() -> None:
    names = {sanitise_scope(name) for name in ("日本", "東京", "отчёт", "feature/日本")}
    assert len(names) == 4
    assert all(is_scope_name(name) and name == sanitise_scope(name) for name in names)


@given(st.text())
def test_every_result_is_a_safe_name(raw: str) -> None:
    try:
        name = sanitise_scope(raw)
    except InvalidScope:
        return
    assert is_scope_name(name)
    assert sanitise_scope(name) == name


@given(st.lists(st.text(alphabet="aA/-_.", min_size=1, max_size=8), min_size=2, max_size=8, unique=True))
def test_different_names_give_different_scopes(raws: list[str]) -> None:
    usable = [raw for raw in raws if any(letter in raw for letter in "aA")]
    names = [sanitise_scope(raw).lower() for raw in usable]
    assert len(names) == len(set(names))


def test_without_sanitising_an_unsafe_name_is_an_error() -> None:
    with pytest.raises(InvalidScope, match="feature/a"):
        resolve_scope(ScopeSettings(sanitize=False), "feature/a")


def test_the_environment_mode_needs_its_variable(tmp_path: Path) -> None:
    settings = ScopeSettings(mode="env", env_var="BRANCH")
    assert stated_scope(settings, tmp_path, {"BRANCH": "dev"}) == "dev"
    with pytest.raises(ConfigMissing, match="BRANCH"):
        stated_scope(settings, tmp_path, {})


def test_the_git_mode_reads_the_project_not_the_callers_directory(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "topic/x", str(tmp_path)], check=True)
    assert stated_scope(ScopeSettings(mode="git"), tmp_path, {}) == "topic/x"


def test_the_git_mode_reads_the_project_in_a_hook_of_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git tells a hook its repository by variables. A preview would replace the index of that repository's branch."""
    for name, branch in (("project", "topic/x"), ("other", "main")):
        subprocess.run(["git", "init", "-q", "-b", branch, str(tmp_path / name)], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert stated_scope(ScopeSettings(mode="git"), tmp_path / "project", {}) == "topic/x"


def test_no_variable_by_which_git_names_a_repository_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """git lists them. Its settings stay: a CI service allows a folder of another user by them."""
    listed = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    names = set(listed.stdout.split())
    for name in names:
        monkeypatch.setenv(name, "/nowhere")
    assert names & git_environ().keys() == {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}


def test_the_git_mode_outside_a_repository_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigMissing, match="--scope"):
        stated_scope(ScopeSettings(mode="git"), tmp_path, {"GITHUB_HEAD_REF": " "})
    # A CI service checks out a commit and names its branch.
    variables = {"GITHUB_HEAD_REF": "topic/x", "GITHUB_REF_NAME": "12/merge"}
    assert stated_scope(ScopeSettings(mode="git"), tmp_path, variables) == "topic/x"


def test_a_name_tells_its_branch_unless_it_may_carry_a_hash() -> None:
    assert [branch_in(name) for name in ("main", "feature/a", "v1.2-cafe")] == ["main", "feature/a", "v1.2-cafe"]
    assert branch_in(sanitise_scope("feature/a")) == ""
