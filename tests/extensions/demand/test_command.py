"""`searchsocket demand` and the asset `search_demand`: what visitors did not find, and proposals that are accepted."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from runner_types import RunCli, RunJson

from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from searchsocket.project.project import open_project
from searchsocket.quality.golden import read_golden
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.site import NAME, PROJECT_VARIABLE, traits_of_project

YESTERDAY = (datetime.now(UTC).date() - timedelta(days=1)).isoformat()
QUERIES = {
    "mooring rope": DemandCounts(40, 44, clicked=30),
    "rope mooring": DemandCounts(6, 6, clicked=5),
    "hawser": DemandCounts(9, 9, unanswered=9),
    "diesel engine": DemandCounts(8, 8, unanswered=8),
    "zxcvbnm": DemandCounts(20, 20, unanswered=20),
    "green lamp": DemandCounts(7, 7),
    "boats": DemandCounts(12, 12, clicked=11),
    "moori": DemandCounts(8, 8),  # typed on by most
}
OPENED = {("mooring rope", "/docs/ropes"): 28, ("boats", "/docs/tides"): 11}


@pytest.fixture
def visited(indexed: Path) -> Path:
    """An indexed site with a demand log."""
    settings = "[demand]\nenable = true\n"
    (indexed / "searchsocket.toml").write_text(settings)
    rows = [DemandRow(YESTERDAY, "main", counts, query) for query, counts in QUERIES.items()]
    rows += [DemandRow(YESTERDAY, "main", DemandCounts(n), query, url) for (query, url), n in OPENED.items()]
    total = DemandCounts(120, 130, unanswered=37, clicked=46)
    log = DemandLog(open_project(indexed, {}).state_dir)
    log.add([*rows, DemandRow(YESTERDAY, "main", total), DemandRow("2020-01-01", "main", DemandCounts(99), "old")])
    return indexed


def test_the_report_lists_what_visitors_did_not_find(visited: Path, run: RunCli, run_json: RunJson) -> None:
    report = run_json("demand", project=visited)
    assert [each["query"] for each in report["withoutResults"]] == ["hawser", "diesel engine", "zxcvbnm"]
    assert [each["query"] for each in report["withoutClick"]] == ["green lamp"]
    top = {each["query"]: each for each in report["top"]}
    assert list(top)[:2] == ["mooring rope", "boats"]  # noise comes last
    assert (top["mooring rope"]["variants"], top["mooring rope"]["visitors"]) == (["rope mooring"], 46)
    assert not {"old", "moori"} & top.keys()
    proposals = {query: (each["proposal"] or {}).get("kind") for query, each in top.items()}
    assert proposals["mooring rope"] == "golden query"
    assert proposals["boats"] == "pin"  # visitors open another page than the first
    assert proposals["diesel engine"] == "missing page"
    assert proposals["zxcvbnm"] is None
    assert all(each["nearest"] for each in report["withoutResults"])
    printed = run("demand", project=visited).stdout
    assert "130 searches by 120 visitors, 31 % found nothing, 38 % opened a result" in printed
    assert "mooring rope  (also rope mooring)  46 visitors, 76 % opened a result" in printed
    assert "pin: pin /docs/tides (most visitors open it)" in printed


def test_proposals_are_accepted_into_files_once(visited: Path, run: RunCli, run_json: RunJson) -> None:
    report = run_json("demand", project=visited)
    numbers = {each["query"]: each["number"] for name in ("withoutResults", "top") for each in report[name]}
    wanted = [str(numbers[query]) for query in ("mooring rope", "boats", "diesel engine")]
    options = [word for number in wanted for word in ("--accept", number)]
    assert run("demand", *options, project=visited).exit_code == 0
    (golden,) = read_golden(visited / "golden-queries.toml")
    assert (golden.query, golden.expect) == ("mooring rope", ("/docs/ropes",))
    assert (visited / "curation.toml").read_text() == '[[pin]]\nquery = "boats"\npages = ["/docs/tides"]\n'
    assert run_json("search", "boats", project=visited)["results"][0]["url"] == "/docs/tides"
    missing = (visited / "missing-pages.md").read_text()
    assert missing.startswith("# Missing pages\n\n- [ ] `diesel engine`: 8 visitors; ")
    assert "has this already" in run("demand", *options, project=visited).stdout
    assert (visited / "missing-pages.md").read_text() == missing
    again = run_json("demand", project=visited)
    assert next(each for each in again["top"] if each["query"] == "mooring rope")["proposal"] is None
    accepted = run_json("demand", "--accept", str(again["withoutResults"][0]["number"]), project=visited)
    assert accepted["accepted"][0]["file"].endswith("missing-pages.md")
    assert len((visited / "missing-pages.md").read_text().splitlines()) == 4


def test_a_table_of_golden_queries_gets_a_row(visited: Path, run: RunCli, run_json: RunJson) -> None:
    table = visited / "golden-queries.tsv"
    table.write_text("kind\tquery\ttarget\nplain\ttide table\t/docs/tides")
    report = run_json("demand", project=visited)
    number = next(each["number"] for each in report["top"] if each["query"] == "mooring rope")
    assert run("demand", "--accept", str(number), project=visited).exit_code == 0
    assert table.read_text().splitlines()[1:] == ["plain\ttide table\t/docs/tides", "demand\tmooring rope\t/docs/ropes"]


def test_a_file_that_would_be_invalid_is_left_alone(visited: Path, run: RunCli, run_json: RunJson) -> None:
    broken = "[[query]]\nquery = 1\n"
    report = run_json("demand", project=visited)
    (visited / "golden-queries.toml").write_text(broken)
    number = next(each["number"] for each in report["top"] if each["query"] == "mooring rope")
    failed = run("demand", "--accept", str(number), project=visited)
    assert failed.exit_code == 2
    assert "golden-queries.toml is unchanged" in failed.stderr
    assert (visited / "golden-queries.toml").read_text() == broken
    (visited / "curation.toml").write_text("[[pin]]\n")
    number = next(each["number"] for each in report["top"] if each["query"] == "boats")
    failed = run("demand", "--accept", str(number), project=visited)
    assert "it would be invalid: curation.toml:1: pin.query: is missing" in failed.stderr
    assert "the last report has no proposal 99" in run("demand", "--accept", "99", project=visited).stderr


def test_without_a_log_the_first_step_is_named(indexed: Path, run: RunCli) -> None:
    assert "set `enable = true` in [demand]" in run("demand", project=indexed).stdout
    assert "run `searchsocket demand` first" in run("demand", "--accept", "1", project=indexed).stderr
    (indexed / "searchsocket.toml").write_text("[demand]\nenable = true\n")
    assert "api.trusted_proxies" in run("demand", project=indexed).stdout


@pytest.mark.dagster
def test_dagster_has_the_same_report(visited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROJECT_VARIABLE, str(visited))
    definitions = build_definitions(traits=traits_of_project({PROJECT_VARIABLE: str(visited)}))
    asset = definitions.get_assets_def("search_demand")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(NAME, ["main"])
        result = dg.materialize([asset], partition_key="main", instance=instance, resources=definitions.resources)
    assert result.success
    metadata = result.asset_materializations_for_node("search_demand")[0].metadata
    rows = metadata["without_results"].value.records  # type: ignore[union-attr]
    assert rows[0].data["query"] == "hawser"
    assert metadata["searches"].value == 130
    assert json.loads((visited / ".searchsocket" / "demand-proposals.json").read_text())


def test_a_sample_shows_a_report_without_visitors(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    """Of this index, and without a trace: a proposal of invented visitors cannot be accepted."""
    empty = run("demand", project=indexed)
    assert empty.stdout.startswith("No searches of scope 'main' recorded since ")
    assert "searchsocket demand --sample" in empty.stdout
    report = run_json("demand", "--sample", project=indexed)
    assert {"gift voucher", "opening hours"} <= {entry["query"] for entry in report["withoutResults"]}
    assert report["top"][0]["currentQuality"] == "answered"
    shown = run("demand", "--sample", project=indexed)
    assert "the visitors are invented" in shown.stderr
    assert "--accept N" not in shown.stdout
    assert run("demand", "--accept", "1", project=indexed).exit_code == 2
    assert run_json("demand", project=indexed)["searches"] == 0
