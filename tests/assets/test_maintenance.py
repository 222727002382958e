"""Keeping a project small."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph

from searchsocket.backends import Backends
from searchsocket.pipeline.branches.scopes import tidy_scopes
from searchsocket.project.project import open_project
from searchsocket.system.disk_space import compact, tidy_temporary
from searchsocket_assets.definitions import build_definitions

pytestmark = pytest.mark.dagster
DAY_S = 86_400.0


def test_old_runs_and_generations_go_and_what_is_live_stays(
    site: Path, run_graph: RunGraph, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        assert run_graph().success
    index = site / ".searchsocket/index/main"
    (live,) = [path for path in index.iterdir() if path.name[0] == "2"]
    old = live.with_name("20010101T000000Z-abcdef")
    old.mkdir()
    (old / "words").write_bytes(b"x" * 100_000)
    (site / ".searchsocket/tmp/main").mkdir(parents=True)
    monkeypatch.setenv("SEARCHSOCKET_PROJECT", str(site))
    job = build_definitions(str(site)).resolve_job_def("maintenance")
    config: dict[str, Any] = {"ops": {"maintain": {"config": {"runs_kept": 1}}}}
    result = job.execute_in_process(config, instance=instance)
    (output,) = [event for event in result.all_events if event.is_successful_output]
    rows = {
        (row.data["what"], row.data["where"]): row.data["bytes"]
        for row in output.step_output_data.metadata["freed"].records
    }  # type: ignore[union-attr]
    assert rows[("leftovers", "main")] >= 100_000
    assert ("2 old runs", "main") in rows
    assert [live.is_dir(), old.exists()] == [True, False]
    assert len(instance.get_runs(dg.RunsFilter(job_name="index_site"))) == 1


def test_a_scope_that_is_worked_on_is_left_alone(site: Path, run_graph: RunGraph) -> None:
    assert run_graph().success
    project = open_project(site, {})
    backends = Backends(project, {}, calls=False)
    assert list(tidy_scopes(project, backends)) == []


def test_temporary_folders_of_the_dead_go(tmp_path: Path) -> None:
    for name, age_days in (("searchsocket-plan-a", 3), ("searchsocket-plan-b", 1), ("somebody-else", 9)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (0, 10 * DAY_S - age_days * DAY_S))
    assert [Path(freed.where).name for freed in tidy_temporary(tmp_path, 10 * DAY_S)] == ["searchsocket-plan-a"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_database_is_made_smaller_where_that_pays(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (x BLOB)")
        db.execute("INSERT INTO t VALUES (zeroblob(6000000))")
        db.commit()
        assert list(compact(path)) == []
        db.execute("DELETE FROM t")
        db.commit()
    (freed,) = compact(path)
    assert freed.bytes > 5_000_000
    assert path.stat().st_size < 100_000
    (problem,) = compact(tmp_path / "none.db")
    assert problem.note
