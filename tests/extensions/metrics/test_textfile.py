"""Runs are counted in a file for node exporter, whatever their end."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from searchsocket.errors import LeaseLost, RecallTooLow, SearchSocketError
from searchsocket.extensions.metrics.textfile import FILE
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.forget import forget_scope
from searchsocket.pipeline.run.index import index_scope, plan_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.stages.site_pages import site_pages
from tests.pipeline.conftest import Site

Samples = dict[str, float]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path / "site")
    (site.root / "collector").mkdir()
    configure(site)
    return site


def configure(site: Site, more: str = "") -> None:
    (site.root / "searchsocket.toml").write_text(
        f'[project]\nid = "docs"\n[embeddings]\nprovider = "hash"\n[metrics]\ntextfile_dir = "collector"\n{more}'
    )


def samples(site: Site, scope: str = "main") -> Samples:
    """Values by the end of the name, and for runs by result and code."""
    text = (site.root / "collector" / "searchsocket-docs.prom").read_text()
    results = {}
    for name, labels, value in re.findall(r"^searchsocket_indexer_(\w+)\{(.*)\} (\S+)$", text, re.MULTILINE):
        values = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        if values.get("scope", scope) == scope:
            key = f"{values['result']} {values['code']}".rstrip() if name == "runs_total" else name
            results[key] = float(value)
    return results


def test_runs_are_counted_by_their_result(site: Site) -> None:
    site.index()
    first = samples(site)
    site.index()
    second = samples(site)
    assert (first["published"], second["published"], second["unchanged"]) == (1, 1, 1)
    assert second["published_timestamp_seconds"] == first["published_timestamp_seconds"]
    assert second["succeeded_timestamp_seconds"] > first["succeeded_timestamp_seconds"]
    assert [second[name] for name in ("running", "lease_held", "failed", "refused", "month_paid_usd")] == [0] * 5


@pytest.mark.parametrize(
    ("error", "result", "flags"),
    [
        (lambda: RecallTooLow("main", "g", "hnsw", 0.5, 0.9, "raise it"), "refused RECALL_TOO_LOW", (0, 1)),
        (lambda: LeaseLost("main", "another machine"), "failed LEASE_LOST", (1, 0)),
        (KeyboardInterrupt, "failed INTERRUPTED", (1, 0)),
    ],
)
def test_a_run_that_ends_with_an_error_is_counted_once_with_its_code(
    site: Site, error: Callable[[], BaseException], result: str, flags: tuple[int, int]
) -> None:
    def judge(*_: object) -> None:
        raise error()

    site.index()
    site.write("docs/new.html", "New", "<p>Something new.</p>")
    run = site.run()
    with pytest.raises((SearchSocketError, KeyboardInterrupt)):
        index_scope(ScopeRun(run.project, run.scope, "judged", clock=run.clock, judge=judge))  # type: ignore[arg-type]
    actual = samples(site)
    assert (actual[result], actual["published"]) == (1, 1)
    assert (actual["failed"], actual["refused"], actual["running"]) == (*flags, 0)
    site.index()
    assert samples(site)["failed"] == samples(site)["refused"] == 0


def test_a_run_is_seen_while_it_works_and_after_it_was_killed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    samples_in_run: list[Samples] = []
    configure(site, f'[artifacts]\nurl = "{(site.root / "store").as_uri()}"\n')
    run = site.run()
    judged = ScopeRun(
        run.project, run.scope, "judged", clock=run.clock, judge=lambda *_: samples_in_run.append(samples(site))
    )  # type: ignore[arg-type, func-returns-value, return-value]
    index_scope(judged)
    assert [(item["running"], item["lease_held"]) for item in samples_in_run] == [(1, 1)]
    assert samples(site)["lease_held"] == 0


def test_a_stage_that_runs_alone_is_no_run(site: Site) -> None:
    """As Dagster starts it; the stage that publishes counts."""
    site_pages(site.run())
    assert not {"published", "unchanged", "failed X"} & samples(site).keys()
    assert samples(site)["running"] == 0


def test_a_dry_run_writes_nothing(site: Site) -> None:
    plan_scope(site.run(options=RunOptions()))
    assert list((site.root / "collector").iterdir()) == []


def test_a_deleted_scope_is_left_out(site: Site) -> None:
    site.index()
    site.index("preview")
    assert samples(site, "preview")["published"] == 1
    forget_scope(site.project, site.project.scope_named("preview"), {})
    site.index()
    assert "published" not in samples(site, "preview")


def test_a_folder_that_is_missing_is_a_warning(site: Site) -> None:
    shutil.rmtree(site.root / "collector")
    summary = site.index()
    assert summary.generation
    assert [line for line in summary.warnings if "cannot write the metrics" in line]


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b'{"scopes": {"main": {"counts": {"x": "y"}}}}',
        b'{"scopes": {"../../x": {"counts": {"published": 7}}, "a\\"} 1\\nb": {}}}',
        b'{"scopes": {"main": {"seconds": 1e999}}}',
        b"[" * 100_000,
    ],
)
def test_counts_that_somebody_else_wrote_are_checked(site: Site, content: bytes) -> None:
    (site.project.state_dir).mkdir(exist_ok=True)
    (site.project.state_dir / FILE).write_bytes(content)
    site.index()
    assert samples(site)["published"] == 1
    assert "../" not in (site.root / "collector" / "searchsocket-docs.prom").read_text()


@pytest.mark.skipif(shutil.which("promtool") is None, reason="needs promtool, of Debian's package prometheus")
def test_prometheus_can_read_the_file(site: Site) -> None:
    configure(site, "[costs.budget]\nmonth_usd = 5.0\n")
    site.index()
    text = (site.root / "collector" / "searchsocket-docs.prom").read_bytes()
    result = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    assert samples(site)["month_budget_usd"] == 5.0
