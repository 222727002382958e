"""State of another user: a user with read permission can serve it; others get an error with the file and its owner."""

import errno
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from fault_site import Project
from small_site import write_site

from searchsocket.cli import status as status_command
from searchsocket.cli.main import cli
from searchsocket.errors import PermissionDenied
from searchsocket.project.project import Project as OpenProject
from searchsocket.system.errors import system_error

pytestmark = pytest.mark.dagster

COMMAND = Path(sys.executable).with_name("searchsocket")
# Root without capabilities is a user like any other, who may run this interpreter wherever it lies.
UNPRIVILEGED = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
OTHER = 54_321  # a user without a name
# Several commands in one process, which takes a second to start; `ASK` is what a service answers, and not a command.
COMMANDS = """
import json, sys, traceback
from click.testing import CliRunner
from searchsocket.cli.main import cli
told = []
for words in json.loads(sys.argv[2]):
    done = CliRunner().invoke(cli, [*words, "--project", sys.argv[1]])
    crash = "" if isinstance(done.exception, SystemExit | None) else "".join(traceback.format_exception(done.exception))
    told.append([done.exit_code, done.stdout, done.stderr + crash])
print(json.dumps(told))
"""
ASK = """
import sys
from fastapi.testclient import TestClient
from pathlib import Path
from search_api.app import create_app
from searchsocket.project.project import open_project
app = create_app(open_project(Path(sys.argv[1]), {}), environ={})
with TestClient(app, base_url="http://127.0.0.1") as client:
    answer = client.get("/api/search", params={"q": "bowline"})
    print(answer.status_code, answer.text)
"""


def as_somebody(*command: str | Path, cwd: Path) -> "subprocess.CompletedProcess[str]":
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root with setpriv can become another user here")
    return subprocess.run([*UNPRIVILEGED, *command], cwd=cwd, capture_output=True, text=True, check=False)


def commands_as_somebody(project: Project, *commands: list[str]) -> list[tuple[int, str, str]]:
    """The status of each command, and what it says on both channels."""
    result = as_somebody(sys.executable, "-c", COMMANDS, str(project.root), json.dumps(commands), cwd=project.root)
    assert result.returncode == 0, result.stderr
    return [tuple(command_output) for command_output in json.loads(result.stdout)]


CACHE = """
import os, sys
from pathlib import Path
from searchsocket.models.embedders.cache_place import cache_file
state = Path(sys.argv[1])
print(cache_file({"HOME": os.environ["HOME"]}, state.parent, state))
"""


@pytest.mark.parametrize("cache", ["", ".cache", ".cache/searchsocket"])
def test_a_home_that_may_not_be_entered_is_no_place_for_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    """As for a service whose home is another user's; what cannot even be looked at is no reason to fail."""
    home, state = tmp_path / "home", tmp_path / "site" / ".searchsocket"
    (home / cache).mkdir(parents=True)
    for path in (home, *home.rglob("*")):
        os.chown(path, OTHER, OTHER)
    home.chmod(0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    result = as_somebody(sys.executable, "-c", CACHE, state, cwd=Path(__file__).parents[2])
    assert result.stdout.strip() == str(state / "embeddings.db"), result.stderr


def give_away(project: Project) -> None:
    """To another user, who lets everybody into the state folder itself."""
    for path in (project.state, *project.state.rglob("*")):
        os.chown(path, OTHER, OTHER)
    project.state.chmod(0o755)


def modes(folder: Path) -> dict[str, str]:
    """Mode of every file and folder below; Dagster's home is for its owner alone, and locks are no data."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix != ".lock"}
    return {name: stat.filemode(path.stat().st_mode) for name, path in files.items() if not name.startswith("dagster")}


@pytest.fixture(scope="module")
def private_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was indexed under the strictest umask."""
    root = write_site(tmp_path_factory.mktemp("private") / "harbour")
    subprocess.run([COMMAND, "index"], cwd=root, umask=0o077, check=True, capture_output=True)
    return root


def test_every_file_has_one_mode_whatever_the_umask(private_run: Path) -> None:
    """Whoever may enter the state folder may read all of it."""
    file_modes = modes(private_run / ".searchsocket")
    assert any(name.endswith(".words") for name in file_modes)
    assert {name: mode for name, mode in file_modes.items() if mode not in ("-rw-r--r--", "drwxr-xr-x")} == {}


def test_files_of_an_older_run_are_mended_by_the_next(project: Project) -> None:
    """Also where nothing changed, so that no new generation is written."""
    private = list(project.state.glob("index/main/*/packs/*.words"))
    for path in private:
        path.chmod(0o600)
    project.index()
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o644}


def test_another_user_can_search_and_serve(private_run: Path, tmp_path: Path) -> None:
    project = Project(shutil.copytree(private_run, tmp_path / "harbour"))
    give_away(project)
    result = as_somebody(COMMAND, "search", "bowline", cwd=project.root)
    assert (result.returncode, result.stderr) == (0, "")
    assert "/docs/ropes" in result.stdout
    served = as_somebody(sys.executable, "-c", ASK, str(project.root), cwd=project.root)
    assert served.stdout.startswith("200 "), served
    output = as_somebody(COMMAND, "doctor", cwd=project.root).stdout
    assert re.search(r"ok\s+index main", output), output


@pytest.mark.parametrize(
    "name",
    [
        "manifest.json",
        "packs/*.db",
        *(pytest.param(f"packs/*.{end}", marks=pytest.mark.long) for end in ("words", "f32")),
    ],
)
def test_a_file_that_may_not_be_read_is_named_with_its_owner(project: Project, name: str) -> None:
    """It is neither damaged, which a new run would mend, nor busy, which passes."""
    give_away(project)
    (path,) = project.state.glob(f"index/main/*/{name}")
    path.chmod(0o600)
    words = f"permission denied on {path}, owned by user {OTHER}"
    result, message = commands_as_somebody(project, ["search", "bowline"], ["doctor"])
    assert result[0] == 1
    assert result[2].startswith(f"error [PERMISSION_DENIED]: {words}")
    assert message[0] == 1
    line = re.search(r"BROKEN  index main .*(\n +fix:.*)?", message[1])
    assert line, message
    assert words in line[0]
    assert not re.search("--force|rollback|damage", line[0])
    served = as_somebody(sys.executable, "-c", ASK, str(project.root), cwd=project.root)
    assert served.stdout.startswith("503 "), served
    assert "PERMISSION_DENIED" in served.stdout
    assert str(path) not in served.stdout
    assert "later" not in served.stdout


def test_a_state_folder_that_cannot_be_entered_is_words_and_no_traceback(project: Project) -> None:
    give_away(project)
    project.state.chmod(0o700)
    served = as_somebody(sys.executable, "-c", ASK, str(project.root), cwd=project.root)
    assert served.stdout.startswith("503 "), served  # it starts, and tells whoever asks
    assert "PERMISSION_DENIED" in served.stdout
    commands = [["search", "bowline"], ["status"], ["doctor"], ["clean", "--yes"], ["rollback"], ["index"]]
    for command, (status, out, err) in zip(commands, commands_as_somebody(project, *commands), strict=True):
        assert (command, status) == (command, 1), err
        assert f"permission denied on {project.state}, owned by user {OTHER}" in out + err
        assert "Traceback" not in out + err
        assert "DAGSTER_HOME" not in out + err
    alone = as_somebody(COMMAND, "index", cwd=project.root)
    assert (alone.returncode, "Traceback" in alone.stderr) == (1, False), alone.stderr


def test_an_error_of_the_system_that_nobody_foresaw_ends_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(root: Path) -> OpenProject:
        raise OSError(errno.EIO, "Input/output error", str(root / "x"))

    monkeypatch.setattr(status_command, "load_project", refuse)
    result = CliRunner().invoke(cli, ["status", "--project", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr == f"error [STATE_UNAVAILABLE]: cannot use {tmp_path / 'x'}: Input/output error\n"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_denial_is_an_error_of_its_own_that_no_retry_mends(tmp_path: Path, number: int) -> None:
    path = tmp_path / "file"
    path.touch()
    error = system_error("cannot read", path, OSError(number, "no", str(path)))
    assert isinstance(error, PermissionDenied)
    assert not error.retryable
    assert f"permission denied on {path}, owned by {path.owner()}" in str(error)
