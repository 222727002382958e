"""`searchsocket index` where nothing changed: no run, in a moment, and said so."""

from pathlib import Path

import dagster as dg
import pytest
from runner_types import RunCli, RunJson

from searchsocket.cli import index as command
from searchsocket.pipeline.run.report import report_names
from searchsocket.project.project import open_project
from searchsocket.serving.service import open_service
from searchsocket_assets.run.tags import REPORT_TAG

pytestmark = pytest.mark.dagster


def runs_of(root: Path) -> list[str]:
    """The newest first."""
    return [name.run_id for name in reversed(report_names(open_project(root, {})))]


def runs_in_dagster(root: Path) -> list[str]:
    with dg.DagsterInstance.from_config(str(root / ".searchsocket" / "dagster")) as instance:
        return [run.tags[REPORT_TAG] for run in instance.get_runs()]


def test_a_run_is_made_only_where_something_changed_or_one_is_asked_for(
    run: RunCli, run_json: RunJson, site: Path
) -> None:
    first = run_json("index")
    runs = runs_of(site)
    again = run_json("index")
    assert again.pop("unchangedSince") == runs[0]
    assert runs_of(site) == runs
    nothing = {
        "embeddings": {"reused": 0, "created": 0, "cut": 0, "leftOut": 0},
        "records": {"upserted": 0, "deleted": 0},
        "estimatedTokens": 0,
    }
    assert {**again, "seconds": 0} == {**first, "chunks": {**first["chunks"], "changed": 0}, **nothing, "seconds": 0}
    words = run("index").stdout
    assert f"nothing changed since run {runs[0]}" in words
    assert "with --record, Dagster shows one" in words
    assert run("index", "--quiet").output == ""
    (status,) = run_json("status")["scopes"]
    assert status["checkedAt"] >= status["publishedAt"]
    assert "): nothing changed" in run("status").stdout
    (health,) = open_service(open_project(site, {}), {}).health(trusted=True).scopes
    assert health.checked_at == status["checkedAt"]
    recorded = run("index", "--record").stdout
    assert f"nothing changed; generation {first['generation']} stays" in recorded
    assert runs_of(site)[1:] == runs
    assert runs_in_dagster(site) == runs_of(site)


@pytest.mark.parametrize(
    "options",
    [
        "--force",
        "--max-pages 1",
        "--max-chunks 1",
        "--dry-run",
        "--record",
        "--verbose",
        "--only site",
        "--source crawl",
    ],
)
def test_options_beyond_a_check_are_not_skipped(
    run: RunCli, site: Path, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    """Whatever the record of the last run says: it is not even read."""
    (site / "searchsocket.toml").write_text("[not the settings", encoding="utf-8")
    monkeypatch.setattr(command, "unchanged_since", lambda *_, **__: pytest.fail("the shortcut was asked"))
    assert "searchsocket.toml" in run("index", *options.split()).stderr
