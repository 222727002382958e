"""Permissions of files on disk: the token, and folders that only their owner may enter (spec 24)."""

import os
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from searchsocket.errors import ConfigError, StateUnavailable
from searchsocket.project.access import (
    MIN_KEY_CHARS,
    SIGNING_FILE,
    TOKEN_FILE,
    configured_key,
    make_private_folders,
    make_token,
    read_token,
    signing_key,
)
from searchsocket.project.project import Project, open_project
from tests.sources.git_repository import git


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return open_project(tmp_path, {})


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_token_can_be_read_by_its_owner_alone(project: Project, umask: int) -> None:
    token = make_token(project)
    assert mode(project.state_dir / TOKEN_FILE) == 0o600
    assert mode(project.state_dir) == 0o700
    assert read_token(project) == token
    assert (project.state_dir / TOKEN_FILE).read_text() == f"{token}\n"  # for `$(cat ...)`
    assert len(set(token)) > 15


def test_servers_on_one_state_folder_agree(project: Project) -> None:
    """Also those that start at the same moment; else the file would name the token of one of them."""
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: make_token(project), range(8)))
    assert tokens == {read_token(project)}
    assert make_token(project) in tokens


def test_each_project_has_a_token_of_its_own(tmp_path: Path) -> None:
    roots = [tmp_path / "a", tmp_path / "b"]
    for root in roots:
        root.mkdir()
    assert len({make_token(open_project(root, {})) for root in roots}) == 2


def test_reading_makes_nothing(project: Project) -> None:
    assert read_token(project) is None
    assert not project.state_dir.exists()


def loosen(path: Path) -> None:
    path.chmod(0o640)


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def shorten(path: Path) -> None:
    path.write_text("secret\n")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() * 1_000)


def make_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def give_away(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    os.chown(path, 65534, -1)


@pytest.mark.parametrize("harm", [loosen, link, shorten, empty, lengthen, make_a_pipe, give_away])
def test_a_token_that_others_may_know_is_not_taken_but_made_anew(
    project: Project, harm: Callable[[Path], None]
) -> None:
    path = project.state_dir / TOKEN_FILE
    old = make_token(project)
    harm(path)
    assert read_token(project) is None
    assert make_token(project) != old
    assert read_token(project) == make_token(project)
    assert not path.is_symlink()
    assert (mode(path), path.stat().st_uid) == (0o600, os.geteuid())


def test_a_place_that_cannot_be_written_is_an_error_that_names_it(project: Project) -> None:
    (project.state_dir / TOKEN_FILE).mkdir(parents=True)
    with pytest.raises(StateUnavailable, match=TOKEN_FILE):
        make_token(project)


def test_continuations_are_signed_with_a_random_secret_of_the_state_folder(project: Project, tmp_path: Path) -> None:
    """Not with the API key: strangers get signed tokens, and could try keys on them."""
    api_key = {"SEARCHSOCKET_API_KEY": "k" * MIN_KEY_CHARS}
    with ThreadPoolExecutor(8) as pool:
        (key,) = set(pool.map(lambda _: signing_key(project, api_key), range(8)))
    assert signing_key(project, {}) == key
    assert mode(project.state_dir / SIGNING_FILE) == 0o600
    assert read_token(project) is None
    other = tmp_path / "other"
    other.mkdir()
    assert signing_key(open_project(other, {}), api_key) != key


def test_services_on_several_machines_share_a_secret(project: Project) -> None:
    shared = {"SEARCHSOCKET_SIGNING_SECRET": "s" * 32}
    assert signing_key(project, shared) == b"s" * 32
    assert not (project.state_dir / SIGNING_FILE).exists()
    with pytest.raises(ConfigError, match="has 31 characters"):
        signing_key(project, {"SEARCHSOCKET_SIGNING_SECRET": "s" * 31})


def test_a_key_that_can_be_guessed_is_refused(project: Project) -> None:
    assert configured_key(project, {"SEARCHSOCKET_API_KEY": "k" * 20}) == "k" * 20
    assert configured_key(project, {"SEARCHSOCKET_API_KEY": " "}) == ""
    with pytest.raises(ConfigError, match="19 characters; a key needs at least 20"):
        configured_key(project, {"SEARCHSOCKET_API_KEY": "k" * 19})


def test_git_leaves_the_state_folder_out(project: Project) -> None:
    git(project.root, "init", "-q")
    make_private_folders(project)
    (project.state_dir / "state.db").write_bytes(b"x")
    assert git(project.root, "status", "--porcelain", "--untracked-files=all") == ""
    (project.state_dir / ".gitignore").write_text("# ours\n")
    make_private_folders(project)
    assert (project.state_dir / ".gitignore").read_text() == "# ours\n"


def test_a_killed_run_leaves_at_most_an_empty_ignore_file_that_the_next_fills(project: Project) -> None:
    make_private_folders(project)
    (project.state_dir / ".gitignore").write_bytes(b"")
    make_private_folders(project)
    assert {path.name: path.read_bytes() for path in project.state_dir.iterdir()} == {".gitignore": b"*\n"}
