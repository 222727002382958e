"""Reports that runs leave for Dagster: complete, bounded, and trusted only as far as their form goes."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from small_site import write_site

from searchsocket.errors import StateUnavailable
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import run_scope
from searchsocket.pipeline.run.report import (
    MAX_REPORTS,
    RunReport,
    keep_report,
    last_report,
    report_names,
    report_of,
    reports_folder,
)
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.pipeline.run.stage import Stage
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.project.project import Project, open_project
from searchsocket.quality.checks import RUN_CHECKS


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return open_project(write_site(tmp_path / "harbour"), {})


def report(run_id: str, ended_at: str = "2026-01-01T00:00:00+00:00", scope: str = "main") -> RunReport:
    return RunReport(
        run_id=run_id, scope=scope, branch="", corpus="site", started_at="2026-01-01T00:00:00+00:00", ended_at=ended_at
    )


def as_json(run_report: RunReport) -> str:
    return json.dumps(asdict(run_report))


def run_of(project: Project) -> ScopeRun:
    return ScopeRun(project, project.scope_named("main"), "run-1")


def test_a_report_is_read_as_it_was_written(project: Project) -> None:
    """Dagster shows nothing that the command did not report."""
    written = run_scope(run_of(project), RUN_CHECKS)
    keep_report(project, written)
    stored = last_report(project, "main")
    assert stored is not None
    assert stored == report_of(project, "main", "run-1")
    assert as_json(stored) == as_json(written)
    assert list(written.stages) == list(STAGES)
    assert list(written.checks) == [check.name for check in RUN_CHECKS]
    assert written.failure is None


def test_an_interrupted_stage_is_the_failure_of_the_run(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """`KeyboardInterrupt` ends the stage, not the report."""

    def interrupt(run: ScopeRun, state: object) -> None:
        raise KeyboardInterrupt

    whole = Stage.__call__

    def call(stage: Stage[Any], run: ScopeRun) -> object:
        return interrupt(run, None) if stage.name == "page_chunks" else whole(stage, run)

    monkeypatch.setattr(Stage, "__call__", call)
    outcome = run_scope(run_of(project), RUN_CHECKS)
    assert outcome.failure is not None
    assert (outcome.failure.stage, outcome.failure.code) == ("page_chunks", "INTERRUPTED")
    assert list(outcome.stages) == ["site_pages", "page_mirror"]


def test_a_bug_in_a_stage_is_reported_with_its_traceback(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event has the traceback, for `--verbose`; the message says where to report it."""

    def call(stage: Stage[Any], run: ScopeRun) -> object:
        raise KeyError("oops")

    monkeypatch.setattr(Stage, "__call__", call)
    events: list[dict[str, object]] = []
    run = ScopeRun(project, project.scope_named("main"), "run-1", on_event=lambda event: events.append(event.fields))
    failure = run_scope(run, RUN_CHECKS).failure
    assert failure is not None
    assert (failure.stage, failure.code) == ("site_pages", "INTERNAL_ERROR")
    assert "oops" in failure.message
    assert "KeyError" in str(events[-1]["traceback"])


def test_only_the_newest_reports_of_a_scope_stay(project: Project) -> None:
    for number in range(MAX_REPORTS + 3):
        keep_report(project, report(f"run-{number:02}", f"2026-01-01T00:00:{number:02}+00:00"))
    keep_report(project, report("other", scope="preview"))
    names = [name.run_id for name in report_names(project)]
    assert names == ["other", *(f"run-{number:02}" for number in range(3, MAX_REPORTS + 3))]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"[" * 100_000,
        b'{"corpus": "site"}',
        b'{"corpus": "nothing", "scope": "main"}',
        json.dumps({"corpus": "site", "scope": "another", "stages": {}, "checks": {}, "failure": None}).encode(),
        json.dumps({"corpus": "site", "scope": "main", "stages": {"x": {}}, "checks": {}, "failure": None}).encode(),
        b'{"corpus": "site", "scope": "main", "stages": {}, "checks": {}, "failure": null, "unknown": 1}',
        b" " * 5_000_000,
    ],
    ids=range(10),
)
def test_a_file_that_is_no_report_is_left_out(project: Project, content: bytes) -> None:
    """A checkout may bring its own state folder."""
    keep_report(project, report("good"))
    bad = report("bad", "2026-01-02T00:00:00+00:00")
    keep_report(project, bad)
    (path,) = reports_folder(project.state_dir, "main").glob("*-bad.json")
    path.write_bytes(content)
    assert report_of(project, "main", "bad") is None
    assert last_report(project, "main") == report("good")


def test_a_report_that_names_very_many_texts_is_read(project: Project) -> None:
    rows = [{"place": f"/docs/{number}#setup", "reason": "not allowed", "text": "0" * 64} for number in range(50_000)]
    written = replace(report("long"), checks={"refused": CheckOutcome(True, "", tables={"Texts": rows})})
    keep_report(project, written)
    assert report_of(project, "main", "long") == written


def test_links_are_never_followed_to_write_or_delete(project: Project, tmp_path: Path) -> None:
    """Old files are deleted, and a link may lead to somebody's folder of JSON files."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(MAX_REPORTS + 1):
        (outside / f"{number}.json").write_text("{}")
    folder = reports_folder(project.state_dir, "main")
    folder.parent.mkdir(parents=True)
    folder.symlink_to(outside)
    with pytest.raises(StateUnavailable, match="remove the link"):
        keep_report(project, report("good"))
    assert len(list(outside.iterdir())) == MAX_REPORTS + 1
