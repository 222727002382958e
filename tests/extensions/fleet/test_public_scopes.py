"""Pushed scopes are public only by intent, never because they were pushed first."""

import json
import subprocess
from pathlib import Path

import pytest
from small_site import write_site

from searchsocket.errors import ScopeRefused
from searchsocket.extensions.fleet.documents import PROJECT
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import read
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.project.project import open_project
from searchsocket.project.scopes import named_default_branch
from searchsocket.serving.scopes import NOTHING_PUBLIC
from searchsocket.serving.service import SearchService, open_service


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", root, *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return (tmp_path / "objects").as_uri()


@pytest.fixture
def root(tmp_path: Path, url: str) -> Path:
    """A checkout of the branch `preview`, of a project without git."""
    root = write_site(tmp_path / "site")
    (root / "searchsocket.toml").write_text(f'[scope]\nmode = "git"\n[artifacts]\nurl = "{url}"\n')
    return root


def index(root: Path, scope: str) -> None:
    project = open_project(root, {})
    index_scope(ScopeRun(project, project.scope_named(scope), "run", environ={}))


def public(url: str) -> list[str]:
    return list(json.loads(read(open_objects(url), PROJECT, 10_000))["scopes"])


def follower(folder: Path, url: str, now: list[float]) -> SearchService:
    folder.mkdir()
    pulled = open_pulled(open_project(folder, {}), {}, url, monotonic=lambda: now[0])
    return open_service(pulled.project, {}, store=pulled.store)


def test_a_preview_that_is_pushed_first_is_not_public(root: Path, url: str, tmp_path: Path) -> None:
    """Without git there is no default branch; callers with the key can still search."""
    index(root, "preview")
    assert public(url) == []
    service = follower(tmp_path / "reader", url, [0.0])
    for name in (None, "preview"):
        with pytest.raises(ScopeRefused, match="api.scopes"):
            service.scopes.find(name, trusted=False)
    assert service.scopes.find(None, trusted=True).name == "preview"
    health = service.health(trusted=False)
    assert (health.ready, health.scopes, health.notice) == (True, (), NOTHING_PUBLIC)


def test_followers_take_a_changed_list_with_the_next_poll(root: Path, url: str, tmp_path: Path) -> None:
    index(root, "preview")
    now = [0.0]
    service = follower(tmp_path / "reader", url, now)
    git(root, "init", "-q", "-b", "main")
    git(root, "commit", "-qm", "First", "--allow-empty")
    git(root, "checkout", "-qb", "preview")
    index(root, "main")
    index(root, "preview")
    assert public(url) == ["main"]
    assert service.scopes.public == ()
    now[0] = 100.0
    service.refresh()
    assert service.scopes.public == ("main",)
    assert service.scopes.find(None, trusted=False).name == "main"
    with pytest.raises(ScopeRefused):
        service.scopes.find("preview", trusted=False)
    health = service.health(trusted=False)
    assert ([scope.scope for scope in health.scopes], health.notice) == (["main"], None)


def test_the_remote_names_the_default_branch(tmp_path: Path) -> None:
    """A clone of a repository whose default branch is another one has that; a branch `main` counts only without one."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    assert named_default_branch(origin, {}) == ""
    git(origin, "init", "-q", "-b", "feature")
    git(origin, "commit", "-qm", "First", "--allow-empty")
    assert named_default_branch(origin, {}) == ""
    git(origin, "branch", "main")
    assert named_default_branch(origin, {}) == "main"
    git(origin, "checkout", "-qb", "develop")
    git(tmp_path, "clone", "-q", str(origin), str(clone))
    git(clone, "branch", "main")
    assert named_default_branch(clone, {}) == "develop"
    git(clone, "remote", "set-head", "origin", "--delete")
    assert named_default_branch(clone, {}) == ""
    assert named_default_branch(clone, {"CI_DEFAULT_BRANCH": "trunk"}) == "trunk"
