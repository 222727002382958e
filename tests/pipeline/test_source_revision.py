"""Commit of an index, if branches are built side by side."""

from pathlib import Path

import pytest

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.project.project import open_project
from searchsocket.project.scopes import sanitise_scope
from tests.pipeline.branches.repository import add_file, make_origin
from tests.sources.git_repository import git

FEATURE = sanitise_scope("feature/a")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """`main` is checked out and edited; `feature/a` is one commit ahead; each has a build."""
    root = make_origin(tmp_path / "site", ["main", "feature/a"])
    git(root, "checkout", "-q", "feature/a")
    add_file(root, "second")
    git(root, "checkout", "-q", "main")
    (root / "first").write_text("edited")
    for scope in ("main", FEATURE):
        (root / "builds" / scope).mkdir(parents=True)
        (root / "builds" / scope / "index.html").write_text("<title>Home</title>")
    return root


def revision(root: Path, scope: str, branch: str, **source: str) -> str:
    environ = {f"SEARCHSOCKET__SOURCE__{name.upper()}": value for name, value in source.items()}
    project = open_project(root, environ)
    return ScopeRun(project, project.scope_named(scope, branch), "").source_revision()


def test_a_build_of_its_own_is_of_the_commit_of_its_branch(root: Path) -> None:
    """Not of what happens to be checked out: every preview's results named the commit of `main`."""
    own = {"static_output_dir": "builds/{scope}"}
    assert revision(root, FEATURE, "feature/a", **own) == git(root, "rev-parse", "feature/a")
    assert revision(root, FEATURE, "", **own) == git(root, "rev-parse", "feature/a")
    assert revision(root, "main", "main", **own) == f"{git(root, 'rev-parse', 'main')}-dirty"


def test_a_preview_that_is_crawled_is_too(root: Path) -> None:
    preview = {"mode": "crawl", "crawl__base_url": "http://{branch_slug}.host.invalid"}
    assert revision(root, FEATURE, "feature/a", **preview) == git(root, "rev-parse", "feature/a")


def test_shared_files_are_those_of_the_working_tree(root: Path) -> None:
    shared = {"static_output_dir": "builds/main"}
    assert revision(root, FEATURE, "feature/a", **shared) == f"{git(root, 'rev-parse', 'main')}-dirty"


def test_of_a_branch_that_is_not_in_this_clone_nothing_is_claimed(root: Path) -> None:
    (root / "builds" / FEATURE).rename(root / "builds/elsewhere")
    assert revision(root, "elsewhere", "elsewhere", static_output_dir="builds/{scope}") == ""
