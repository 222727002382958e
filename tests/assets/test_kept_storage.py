"""Dagster's databases, each opened once a process."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.instance.ref import InstanceRef
from sqlalchemy import event
from sqlalchemy.engine import Engine

from searchsocket.errors import StateUnavailable
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.run.kept_storage import KeptEventLog


@dg.op
def speak(context: dg.OpExecutionContext) -> None:
    for number in range(20):
        context.log.info(str(number))


@dg.job
def talk() -> None:
    speak()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    prepare_home(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def opened() -> Iterator[Counter[str]]:
    """How often each database is opened from here on, by the names of their files."""
    count: Counter[str] = Counter()

    def see(connection: object, _: object) -> None:
        (row,) = connection.execute("PRAGMA database_list").fetchall()  # type: ignore[attr-defined]
        count[Path(row[2]).name] += 1

    event.listen(Engine, "connect", see)
    yield count
    event.remove(Engine, "connect", see)


def test_a_run_opens_its_log_once(home: Path, opened: Counter[str]) -> None:
    """Dagster's own storage opened it for each of its lines."""
    with open_instance(home):
        pass
    made = Counter(opened)
    with open_instance(home) as instance:
        result = talk.execute_in_process(instance=instance)
        lines = instance.all_logs(result.run_id)
    assert len(lines) > 20
    again = opened - made
    assert again[f"{result.run_id}.db"] <= 2  # once more while its tables are made
    assert again["index.db"] == 1
    assert again["runs.db"] <= 6, again  # its version is asked, and some questions come within another


def test_both_storages_write_one_home_at_once(home: Path) -> None:
    """Dagster's UI and its daemon have Dagster's own."""
    with open_instance(home) as ours:
        ref = InstanceRef.from_dir(str(home), overrides={"storage": {"sqlite": {"base_dir": str(home)}}})
        with dg.DagsterInstance.from_ref(ref) as theirs:
            runs = [talk.execute_in_process(instance=instance).run_id for instance in (ours, theirs, ours, theirs)]
            for instance in (ours, theirs):
                assert {run.run_id: run.status for run in instance.get_runs()} == dict.fromkeys(
                    runs, dg.DagsterRunStatus.SUCCESS
                )
                assert {len(instance.all_logs(run)) for run in runs} == {len(ours.all_logs(runs[0]))}
            assert isinstance(ours.event_log_storage, KeptEventLog)
            assert not isinstance(theirs.event_log_storage, KeptEventLog)


def test_few_logs_stay_open_and_none_when_it_ends(home: Path) -> None:
    with open_instance(home) as instance:
        for _ in range(4):
            talk.execute_in_process(instance=instance)
        assert len({*_open_files(home)}) <= 4 * 3  # runs, index, two logs: file, journal and its map
    assert _open_files(home) == []
    assert [path.name for path in (home / "history" / "runs").glob("*-wal")] == []


def _open_files(home: Path) -> list[str]:
    names = [str(link.readlink()) for link in list(Path("/proc/self/fd").iterdir()) if link.is_symlink()]
    return [name for name in names if name.startswith(str(home))]


def test_a_failed_call_leaves_no_broken_connection(home: Path) -> None:
    with open_instance(home) as instance:
        log = instance.event_log_storage
        assert isinstance(log, KeptEventLog)
        with pytest.raises(ZeroDivisionError), log.index_connection():
            raise ZeroDivisionError
        assert talk.execute_in_process(instance=instance).success


CHILD = """
import multiprocessing, sys
from pathlib import Path
from searchsocket_assets.run.home_errors import home_errors
from searchsocket_assets.run.instance import open_instance
def see(instance):
    log = instance.event_log_storage
    url = log.conn_string_for_shard("index")
    inherited = log._engines._engines[url]
    with log.index_connection() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM event_logs")
    assert log._engines._engines[url] is not inherited
if __name__ == "__main__":
    with open_instance(Path(sys.argv[1])) as instance:
        with instance.event_log_storage.index_connection():
            pass
        child = multiprocessing.get_context("fork").Process(target=see, args=(instance,))
        child.start(); child.join()
        sys.exit(child.exitcode)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_opens_its_own(home: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CHILD, str(home)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_storage_of_the_users_own_is_left(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (home / "dagster.yaml").write_text(json.dumps({"storage": {"sqlite": {"base_dir": str(elsewhere)}}}))
    with open_instance(home) as instance:
        assert not isinstance(instance.event_log_storage, KeptEventLog)
        talk.execute_in_process(instance=instance)
    assert (elsewhere / "history" / "runs.db").is_file()


def test_settings_that_break_off_are_named(home: Path) -> None:
    settings = home / "dagster.yaml"
    settings.write_text("telemetry:\n  enabled: false\nnux\nrun_retries:\n")
    with pytest.raises(StateUnavailable, match="cannot be used"), home_errors(home):
        open_instance(home)
