"""The folder that stores a project's runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from searchsocket.cli import examine
from searchsocket.errors import ConfigError, StateUnavailable
from searchsocket.project.project import dagster_home, open_project
from searchsocket_assets.run.dev import start
from searchsocket_assets.run.home import prepare_home


def test_the_home_lies_in_the_state_folder_unless_the_environment_says_otherwise(tmp_path: Path) -> None:
    project = open_project(tmp_path, {})
    assert dagster_home(project, {}) == tmp_path.resolve() / ".searchsocket" / "dagster"
    assert dagster_home(project, {"DAGSTER_HOME": "/srv/dagster"}) == Path("/srv/dagster")


def test_a_relative_home_is_refused(tmp_path: Path) -> None:
    """Dagster itself would fail with a traceback."""
    with pytest.raises(ConfigError, match="absolute"):
        dagster_home(open_project(tmp_path, {}), {"DAGSTER_HOME": "dagster"})


def test_a_fresh_home_is_private_sends_nothing_and_runs_one_run_a_scope(tmp_path: Path) -> None:
    home = tmp_path / "state" / "dagster"
    prepare_home(home)
    settings = yaml.safe_load((home / "dagster.yaml").read_text())
    assert home.stat().st_mode & 0o777 == 0o700
    assert settings["telemetry"] == {"enabled": False}
    assert settings["nux"] == {"enabled": False}
    (limit,) = settings["concurrency"]["runs"]["tag_concurrency_limits"]
    assert limit == {"key": "dagster/partition", "limit": 1, "value": {"applyLimitPerUniqueValue": True}}


def test_a_home_that_is_in_use_is_left_as_it_is(tmp_path: Path) -> None:
    """A home from the environment may serve other projects, with the defaults that they count on."""
    (tmp_path / "storage").mkdir()
    prepare_home(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["storage"]


def test_a_home_that_cannot_be_made_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateUnavailable, match="file"):
        prepare_home(tmp_path / "file" / "dagster")


def test_doctor_tells_the_size_of_the_home(tmp_path: Path) -> None:
    """Its history is what grows (50 runs of each scope are kept)."""
    project = open_project(tmp_path, {})
    (absent,) = examine.dagster(project)
    assert "not created yet" in absent.detail
    (project.dagster_home / "history" / "runs").mkdir(parents=True)
    (project.dagster_home / "history" / "runs" / "one.db").write_bytes(bytes(2_300_000))
    (line,) = examine.dagster(project)
    assert line.ok
    assert line.detail == f"{project.dagster_home}, 2.3 MB"


OPEN = """
import sys, multiprocessing
from pathlib import Path
def open_it(home, gate):
    from searchsocket_assets.run.home import prepare_home
    from searchsocket_assets.run.instance import open_instance
    gate.wait()
    prepare_home(home)
    with open_instance(home) as instance:
        instance.get_runs(limit=1)
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    import searchsocket_assets.run.instance
    for number in range(2):
        home, gate = Path(sys.argv[1]) / str(number), context.Barrier(3)
        each = [context.Process(target=open_it, args=(home, gate)) for _ in range(3)]
        [process.start() for process in each]
        [process.join() for process in each]
        assert [process.exitcode for process in each] == [0] * 3
"""


@pytest.mark.long
def test_first_runs_of_several_scopes_at_once_leave_a_sound_home(tmp_path: Path) -> None:
    """Each made its databases, which Dagster then never opened again."""
    result = subprocess.run([sys.executable, "-c", OPEN, str(tmp_path)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert {(tmp_path / str(number) / "dagster.yaml").is_file() for number in range(2)} == {True}


def test_dagster_takes_no_module_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A project may have a `types.py` or a `queue.py` at its top."""
    for name in ("types", "queue", "json", "dagster"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('taken from the project')\n")
    monkeypatch.chdir(tmp_path)
    child = start("missing.yaml", "127.0.0.1", 0, {**os.environ, "DAGSTER_HOME": str(tmp_path)}, [])
    with child:
        assert child.wait(timeout=120) != 0
    errors = capfd.readouterr().err
    assert "missing.yaml" in errors
    assert "taken from the project" not in errors
