"""Live branches of real repositories; listing fails if some may be unknown."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from searchsocket.errors import BranchesUnknown
from searchsocket.pipeline.branches.listing import list_branches
from searchsocket.project.scopes import sanitise_scope
from tests.pipeline.branches.repository import add_file, make_origin
from tests.sources.git_repository import git


def test_a_clone_knows_its_own_branches_and_those_of_its_remote(tmp_path: Path) -> None:
    origin = make_origin(tmp_path / "origin", ["main", "feature/a", "release-1"])
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(origin), str(clone))
    git(clone, "branch", "only-here")
    branches = list_branches(clone, "", 30)
    assert set(branches.commits) == {"main", "feature/a", "release-1", "only-here"}
    assert branches.default == "main"
    assert branches.commits["main"] == git(clone, "rev-parse", "HEAD")
    assert set(branches.scopes().values()) == set(branches.commits)
    assert branches.scopes()[sanitise_scope("feature/a")] == "feature/a"


def test_a_remote_is_asked_itself(tmp_path: Path) -> None:
    origin = make_origin(tmp_path / "origin", ["main", "feature/a"])
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{origin}", str(clone))
    git(origin, "branch", "-q", "later")
    for remote in ("origin", str(origin)):
        branches = list_branches(clone, remote, 30)
        assert (set(branches.commits), branches.default) == ({"main", "feature/a", "later"}, "main")


def test_a_local_repository_without_a_remote_is_the_whole_truth(tmp_path: Path) -> None:
    origin = make_origin(tmp_path / "site", ["main", "b"])
    assert set(list_branches(origin, "", 30).commits) == {"main", "b"}


def test_a_shallow_clone_is_refused(tmp_path: Path) -> None:
    origin = make_origin(tmp_path / "origin", ["main"])
    add_file(origin, "second")
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{origin}", "clone")
    with pytest.raises(BranchesUnknown, match=r"shallow.*--unshallow"):
        list_branches(tmp_path / "clone", "", 30)


def test_a_clone_of_one_branch_is_refused(tmp_path: Path) -> None:
    origin = make_origin(tmp_path / "origin", ["main", "b"])
    git(tmp_path, "clone", "-q", "--single-branch", str(origin), "clone")
    git(tmp_path, "clone", "-q", "--bare", str(origin), "bare")
    with pytest.raises(BranchesUnknown, match=r"fetches no branches of 'origin'.*branches\.remote"):
        list_branches(tmp_path / "bare", "", 10.0)
    with pytest.raises(BranchesUnknown, match=r"some branches of 'origin'.*branches\.remote"):
        list_branches(tmp_path / "clone", "", 30)


@pytest.mark.parametrize("remote", ["nowhere", "/no/such/folder", "--upload-pack=touch pwned", "ext::touch pwned"])
def test_a_remote_that_fails_is_refused_and_runs_nothing(tmp_path: Path, remote: str) -> None:
    clone = make_origin(tmp_path / "site", ["main"])
    with pytest.raises(BranchesUnknown, match="cannot list"):
        list_branches(clone, remote, 30)
    assert not list(tmp_path.rglob("pwned"))


def test_an_empty_repository_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    git(tmp_path, "init", "-q", str(empty))
    with pytest.raises(BranchesUnknown, match="lists no branches"):
        list_branches(empty, "", 30)
    with pytest.raises(BranchesUnknown, match="lists no branches"):
        list_branches(empty, str(empty), 30)


def test_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BranchesUnknown, match="not a git repository"):
        list_branches(tmp_path, "", 30)


def test_a_remote_that_hangs_is_left_with_all_that_git_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = make_origin(tmp_path / "site", ["main"])
    ssh, alive = tmp_path / "ssh", tmp_path / "alive"
    os.mkfifo(alive)
    ssh.write_text(f"#!/bin/sh\nexec 3>{alive}\nprintf x >&3\nexec sleep 600\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    with open(os.open(alive, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        with pytest.raises(BranchesUnknown, match=r"did not answer git within 5 s"):
            list_branches(clone, "ssh://host.invalid/repository", 5)
        os.set_blocking(pipe.fileno(), True)
        assert pipe.readall() == b"x", "it ends when whoever writes to it is dead"


def test_packed_branches_of_a_bare_repository_are_listed(tmp_path: Path) -> None:
    """A server packs what rests; a branch that moved since stands beside the pack."""
    origin = make_origin(tmp_path / "origin", ["main", "feature/a", "feature/b"])
    bare = tmp_path / "bare.git"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    git(origin, "push", "-q", str(bare), "--all")
    git(bare, "pack-refs", "--all", "--prune")
    add_file(origin, "second")
    git(origin, "push", "-q", str(bare), "main", ":feature/b")
    for folder, remote in ((bare, ""), (origin, str(bare))):
        branches = list_branches(folder, remote, 30)
        assert set(branches.commits) == {"main", "feature/a"}
        assert (branches.commits["main"], branches.default) == (
            git(origin, "rev-parse", "main"),
            "main" if remote else "",
        )


def test_a_fetch_that_races_hides_no_branch(tmp_path: Path) -> None:
    """Branches come, go, move and are packed while they are listed; those that stay are there each time."""
    origin = make_origin(tmp_path / "origin", ["main", *(f"stays/{n}" for n in range(20))])
    git(tmp_path, "clone", "-q", str(origin), "clone")
    clone = tmp_path / "clone"
    stays = {"main", *(f"stays/{n}" for n in range(20))}
    is_over = threading.Event()

    def disturb() -> None:
        while not is_over.is_set():
            for change in (["branch", "-f", "comes"], ["branch", "-D", "comes"], ["branch", "-f", "comes/below"]):
                git(origin, *change)
                git(clone, "fetch", "-q", "--prune")
            git(origin, "branch", "-D", "comes/below")
            git(clone, "pack-refs", "--all", "--prune")

    with ThreadPoolExecutor(1) as pool:
        disturbance = pool.submit(disturb)
        try:
            listings = [set(list_branches(clone, "", 30).commits) for _ in range(8)]
        finally:
            is_over.set()
        disturbance.result()
    assert all(stays <= listed <= stays | {"comes", "comes/below"} for listed in listings)


def test_a_branch_that_was_force_pushed_or_renamed_is_what_it_is_now(tmp_path: Path) -> None:
    origin = make_origin(tmp_path / "origin", ["main", "old"])
    git(tmp_path, "clone", "-q", str(origin), "clone")
    git(origin, "commit", "-q", "--amend", "--allow-empty", "-m", "another")
    git(origin, "branch", "-m", "old", "new")
    git(tmp_path / "clone", "fetch", "-q", "--prune")
    remote_branches, local_branches = (
        list_branches(tmp_path / "clone", "origin", 30),
        list_branches(tmp_path / "clone", "", 30),
    )
    assert set(remote_branches.commits) == set(local_branches.commits) == {"main", "new"}
    assert remote_branches.commits["main"] == git(origin, "rev-parse", "main")


def test_the_repository_of_a_hook_is_not_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = make_origin(tmp_path / "other", ["main", "strange"])
    site = make_origin(tmp_path / "site", ["main"])
    monkeypatch.setenv("GIT_DIR", os.fspath(other / ".git"))
    assert set(list_branches(site, "", 30).commits) == {"main"}
