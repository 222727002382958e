"""`searchsocket demand` and the asset `search_demand`: what visitors did not find, and proposals."""

import re
import textwrap
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
    assert [entry["query"] for entry in report["withoutResults"]] == [
        "hawser",
        "diesel engine",
        "zxcvbnm",
    ]
    assert [entry["query"] for entry in report["withoutClick"]] == ["green lamp"]
    top = {item["query"]: item for item in report["top"]}
    assert list(top)[:2] == ["mooring rope", "boats"]  # noise comes last
    assert (top["mooring rope"]["variants"], top["mooring rope"]["visitors"]) == (["rope mooring"], 46)
    assert not {"old", "moori"} & top.keys()
    proposals = {query: (each["proposal"] or {}).get("kind") for query, each in top.items()}
    assert proposals["mooring rope"] == "golden query"
    assert proposals["boats"] == "pin"  # visitors open another page than the first
    assert proposals["diesel engine"] == "missing page"
    assert proposals["zxcvbnm"] is None
    assert all(element["nearest"] for element in report["withoutResults"])
    printed = run("demand", project=visited).stdout
    assert "130 searches by 120 visitors, 31 % found nothing, 38 % opened a result" in printed
    assert "mooring rope  (also rope mooring)  46 visitors, 76 % opened a result" in printed
    assert "pin: pin /docs/tides (opened more than other results)" in printed


def test_the_lines_to_paste_work(visited: Path, run: RunCli, run_json: RunJson) -> None:
    """Each file once, with the text of all of its proposals."""
    printed = run("demand", project=visited).stdout
    parts = re.split(r"\nTo paste into (\S+)\n", printed)
    texts = dict(zip(parts[1::2], map(textwrap.dedent, parts[2::2]), strict=True))
    assert set(texts) == {"curation.toml", "golden-queries.toml", "missing-pages.md"}
    for name, text in texts.items():
        (visited / name).write_text(text)
    golden = {item.query: item.expect for item in read_golden(visited / "golden-queries.toml")}
    assert golden["mooring rope"] == ("/docs/ropes",)
    assert run_json("search", "boats", project=visited)["results"][0]["url"] == "/docs/tides"
    assert "- [ ] `diesel engine`: 8 visitors; " in texts["missing-pages.md"]
    again = run_json("demand", project=visited)
    assert next(entry for entry in again["top"] if entry["query"] == "mooring rope")["proposal"] is None


def test_a_table_of_golden_queries_gets_a_row(visited: Path, run_json: RunJson) -> None:
    (visited / "golden-queries.tsv").write_text("kind\tquery\ttarget\nplain\ttide table\t/docs/tides")
    report = run_json("demand", project=visited)
    proposal = next(item["proposal"] for item in report["top"] if item["query"] == "mooring rope")
    assert (proposal["file"], proposal["text"]) == ("golden-queries.tsv", "demand\tmooring rope\t/docs/ropes\n")


def test_without_a_log_the_first_step_is_named(indexed: Path, run: RunCli) -> None:
    assert "set `enable = true` in [demand]" in run("demand", project=indexed).stdout
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


def test_a_sample_shows_a_report_without_visitors(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    """Of this index, and without a trace."""
    empty = run("demand", project=indexed)
    assert empty.stdout.startswith("No searches of scope 'main' recorded since ")
    assert "searchsocket demand --sample" in empty.stdout
    report = run_json("demand", "--sample", project=indexed)
    assert {"gift voucher", "opening hours"} <= {entry["query"] for entry in report["withoutResults"]}
    assert report["top"][0]["currentQuality"] == "answered"
    result = run("demand", "--sample", project=indexed)
    assert "the visitors are invented" in result.stderr
    assert run_json("demand", project=indexed)["searches"] == 0
