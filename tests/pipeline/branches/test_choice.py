"""Selection of scopes by globs."""

from pathlib import Path

import pytest

from searchsocket.backends import Backends
from searchsocket.errors import InvalidRequest
from searchsocket.pipeline.branches.scopes import choose_scopes
from searchsocket.project.project import open_project
from searchsocket.project.scopes import sanitise_scope
from tests.pipeline.branches.repository import make_origin
from tests.sources.git_repository import git


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """`main`, `gone` and a scope of `old/kept` have a mirror; `gone` has no branch."""
    root = make_origin(tmp_path / "site", ["main", "feature/a", "feature/b", "wip/x", "old/kept"])
    (root / "searchsocket.toml").write_text('[branches]\nexclude = ["wip/*", "old/*"]\n')
    for scope in ("main", "gone", sanitise_scope("old/kept")):
        (root / ".searchsocket/pages" / scope).mkdir(parents=True)
    return root


def chosen(root: Path, *globs: str) -> list[str]:
    project = open_project(root, {})
    return [scope.branch for scope in choose_scopes(project, Backends(project, {}, calls=False), globs)[0]]


def test_globs_are_of_branches_and_of_scopes(root: Path) -> None:
    assert chosen(root, "feature/*") == chosen(root, "feature-*") == ["feature/a", "feature/b"]
    assert chosen(root, "m*", "feature/b") == ["feature/b", "main"]


def test_all_are_the_living_ones_that_the_settings_include_or_that_are_kept(root: Path) -> None:
    assert chosen(root, "*") == ["feature/a", "feature/b", "main", "old/kept"]


def test_a_glob_without_a_match_is_refused(root: Path) -> None:
    for glob in ("wip/x", "gone", "nowhere"):
        with pytest.raises(InvalidRequest, match=glob):
            chosen(root, "main", glob)


def test_without_a_listing_what_is_kept_counts(root: Path) -> None:
    git(root, "branch", "-m", "main", "trunk")
    (root / ".git").rename(root / "elsewhere")
    assert chosen(root, "*")[:2] == ["gone", "main"]
