"""`searchsocket index` (spec 17, 21, 22)."""

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from runner_types import RunCli, RunJson
from small_site import write_page

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.report import RunReport, reports_folder
from searchsocket.system.locks import scope_lock

pytestmark = pytest.mark.dagster

KEYS = {
    "scope", "generation", "pages", "chunks", "embeddings", "records", "estimatedTokens", "estimatedCostUsd", "routes",
    "chargedTokens", "chargedCostUsd", "expensivePages", "buildOutput",
    "source", "skipped", "skipReasons", "versions", "deletionEligible", "warnings", "seconds", "dryRun",
}  # fmt: skip


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.fixture
def run_options(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Record the run that the command would start, and stop it before its first stage."""
    caught: dict[str, Any] = {}

    def run_scope(run: ScopeRun, checks: object) -> RunReport:
        caught.update(scope=run.scope.name, options=run.options)
        return RunReport(run_id="none", scope="main", branch="", corpus="site", started_at="", ended_at="")

    monkeypatch.setattr("searchsocket.cli.index_run.run_scope", run_scope)
    return caught


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], RunOptions()),
        (["--changed-only"], RunOptions()),
        (["--force"], RunOptions(force=True)),
        (["--source", "content-files"], RunOptions(source="content-files")),
        (["--max-pages", "3"], RunOptions(max_pages=3)),
        (["--max-chunks", "4"], RunOptions(max_chunks=4)),
        (["--max-cost", "0.5"], RunOptions(max_cost_usd=0.5)),
        (["--accept-large-deletion"], RunOptions(accept_large_deletion=True)),
        (["--strict-routes"], RunOptions(strict_routes=True)),
    ],
)
def test_every_flag_reaches_the_run(
    run: RunCli, run_options: dict[str, Any], arguments: list[str], options: RunOptions
) -> None:
    assert run("index", *arguments).exit_code == 0
    assert run_options["options"] == options


def test_the_scope_may_be_named_and_is_sanitised(run: RunCli, run_options: dict[str, Any]) -> None:
    run("index", "--scope", "preview")
    assert run_options["scope"] == "preview"
    run("index", "--scope", "feature/a")
    assert run_options["scope"].startswith("feature-a-")


def test_a_run_prints_one_object_and_its_events_apart(run: RunCli, site: Path) -> None:
    """Spec 22: stdout holds the result alone; events are JSON lines on stderr."""
    result = run("index", "--json")
    summary = json.loads(result.stdout)
    events = [json.loads(line)["event"] for line in result.stderr.splitlines()]
    assert set(summary) == KEYS
    assert summary["pages"] == {"found": 5, "indexed": 5, "skipped": 0, "failed": 0, "removed": 0}
    assert summary["records"]["upserted"] == summary["chunks"]["total"] == summary["embeddings"]["created"]
    assert summary["routes"] == {"exact": 5, "bestEffort": 0}
    assert {"page_extracted", "chunked", "embedded_new", "upserted", "registry_updated"} <= set(events)


def test_a_second_run_says_that_nothing_changed(run: RunCli, indexed: Path) -> None:
    result = run("index", project=indexed)
    assert result.exit_code == 0
    assert "nothing changed" in result.stdout
    assert "0 new" in result.stdout
    assert result.stderr == ""  # neither Dagster's log nor a progress bar when it is no terminal


def test_an_edit_is_published_and_told(run: RunCli, indexed: Path) -> None:
    write_page(indexed, "about", "About", "Written by people who like trains.")
    result = run("index", project=indexed)
    assert "published generation" in result.stdout
    assert "1 new" in result.stdout
    assert "1 upserted" in result.stdout


def test_a_dry_run_tells_the_plan_and_writes_nothing(run_json: RunJson, site: Path) -> None:
    before = files(site)
    plan = run_json("index", "--dry-run")
    assert plan["dryRun"] is True
    assert plan["embeddings"]["created"] == plan["chunks"]["total"] > 0
    assert plan["estimatedTokens"] > 0
    assert files(site) == before


def test_a_dry_run_over_an_index_changes_no_byte_of_it(run: RunCli, indexed: Path) -> None:
    before = files(indexed)
    result = run("index", "--dry-run", project=indexed)
    assert "plan only" in result.stdout
    assert files(indexed) == before


def test_over_the_budget_the_run_stops_with_its_own_status(run: RunCli, run_json: RunJson, site: Path) -> None:
    (site / "searchsocket.toml").write_text("[embeddings]\nprice_per_million_tokens_usd = 1000.0\n")
    result = run("index", "--max-cost", "0.0001")
    assert result.exit_code == 4
    assert result.stderr.startswith("error [BUDGET_EXCEEDED]: ")
    assert "Traceback" not in result.stderr
    assert not (site / ".searchsocket" / "index" / "main" / "CURRENT").exists()
    assert run_json("index", "--max-cost", "0.0001")["error"]["code"] == "BUDGET_EXCEEDED"


def test_without_a_site_the_command_says_what_is_missing(run: RunCli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "searchsocket.toml").write_text('[source]\nmode = "static-output"\n')
    result = run("index", project=tmp_path / "empty")
    assert result.exit_code == 3
    assert result.stderr.startswith("error [CONFIG_MISSING]: ")


def test_a_scope_that_is_being_indexed_is_refused_at_once(run: RunCli, indexed: Path) -> None:
    """Not after a second: the lock is asked before Dagster starts, so no failed run is recorded."""
    is_locked, finish = threading.Event(), threading.Event()

    def hold() -> None:
        with scope_lock(indexed.resolve() / ".searchsocket", "main"):
            is_locked.set()
            finish.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    is_locked.wait(60)
    refused = run("index", project=indexed)
    finish.set()
    holder.join()
    assert refused.exit_code == 5
    assert refused.stderr.startswith("error [SCOPE_LOCKED]: ")


def test_a_run_whose_report_cannot_be_kept_is_live(run: RunCli, indexed: Path) -> None:
    folder = reports_folder(indexed / ".searchsocket", "main")
    shutil.rmtree(folder)
    folder.write_text("in the way")
    write_page(indexed, "noon", "Noon", "High water is at noon.")
    result = run("index", project=indexed)
    assert result.exit_code == 0, result.output
    assert "Dagster will not show this run" in result.stdout
    assert "High water" in run("search", "high water at noon", project=indexed).stdout


def test_verbose_shows_events_and_keeps_stdout_for_the_summary(run: RunCli, indexed: Path) -> None:
    result = run("index", "--verbose", project=indexed)
    assert '{"event": "upserted", "records": 0}' in result.stderr
    assert "upserted" not in result.stdout.splitlines()[0]


def test_opposite_flags_are_refused(run: RunCli) -> None:
    result = run("index", "--force", "--changed-only")
    assert result.exit_code == 2


def test_a_defect_in_a_stage_is_a_sentence_with_its_code(run: RunCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a traceback and the name of a class, and with what to do."""

    def broken(*_: object) -> None:
        raise KeyError("tide")

    monkeypatch.setattr("searchsocket.pipeline.extraction.page_steps.chunk_page", broken)
    result = run("index")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "error [INTERNAL_ERROR]: page_chunks failed with a bug: 'tide'; please report it with the output of "
        "`--verbose`\n"
    )
