"""`searchsocket test`, and asking a generation that is not live."""

import json
from pathlib import Path

from runner_types import RunCli, RunJson
from small_site import write_page

from searchsocket.pipeline.run.checks import index_matches_manifest
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.project.project import open_project
from searchsocket.quality.golden import read_golden
from searchsocket.state.project import ProjectState

GOLDEN = '[[query]]\nquery = "mooring rope"\nexpect = "/docs/ropes"\ntags = "plain"\n'
NONSENSE = '[[query]]\nquery = "tide table"\n'


def test_golden_queries_are_asked_told_and_judged(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    missing = run("test", project=indexed)
    assert (missing.exit_code, "golden-queries.toml" in missing.stderr) == (3, True)
    (indexed / "golden-queries.toml").write_text(GOLDEN)
    result = run("test", project=indexed)
    assert result.exit_code == 0
    assert "1 of 1 find their page; recall@k 1.000, MRR@10 1.000, nDCG@10 1.000" in result.stdout
    assert result.stdout.endswith("passed\n")
    (indexed / "golden-queries.toml").write_text(GOLDEN + NONSENSE)
    failed = run("test", project=indexed)
    assert failed.exit_code == 1
    assert "failed: 'tide table' finds /docs/tides, and should find nothing" in failed.stdout
    report = run_json("test", project=indexed)
    assert (report["passed"], report["measures"]["recall"], report["byTag"]["plain"]["queries"]) == (False, 1.0, 1)
    assert report["queries"][1]["unwanted"] == ["/docs/tides"]
    (indexed / "golden-queries.toml").write_text("[[query]]\nquery = 1\n")
    assert (wrong := run("test", project=indexed)).exit_code == 2
    assert "query 1 ('1'): query: must be text" in wrong.stderr


def test_past_results_are_listed(site: Path, run: RunCli, run_json: RunJson) -> None:
    assert "no run of main has evaluated golden queries yet" in run("test", "--scope", "main", "--history").stdout
    report = {"generation": "g1", "numbers": {"golden_recall": 0.5, "golden_mrr10": 0.25, "golden_ndcg10": 0.125}}
    with ProjectState(site / ".searchsocket").open("main") as state:
        state.history.save("run", "search_index", "2026-01-01T10:00:00+00:00", report)
        state.history.save("other", "search_index", "2026-01-01T11:00:00+00:00", {"numbers": {}})
    (listed,) = run_json("test", "--scope", "main", "--history")["runs"]
    measures = {"recall": 0.5, "mrr10": 0.25, "ndcg10": 0.125}
    assert listed == {"finishedAt": "2026-01-01T10:00:00+00:00", "generation": "g1", **measures}
    assert "2026-01-01T10:00:00  g1  recall@k 0.500" in run("test", "--scope", "main", "--history").stdout


def test_recent_searches_are_proposed(indexed: Path, run: RunCli, run_json: RunJson, tmp_path: Path) -> None:
    run("search", "mooring", "rope", project=indexed)
    run("search", "tide table", project=indexed)
    run("search", "asked of no scope", "--scope", "other", project=indexed)
    (indexed / "golden-queries.toml").write_text('[[query]]\nquery = "tide table"\nexpect = "/docs/tides"\n')
    result = run("test", "--record", project=indexed)
    proposed = tmp_path / "proposed.toml"
    proposed.write_text(result.stdout)
    (entry,) = read_golden(proposed)
    assert (entry.query, [place.partition("#")[0] for place in entry.expect]) == ("mooring rope", ["/docs/ropes"])
    assert [query["query"] for query in run_json("test", "--record", project=indexed)["queries"]] == ["mooring rope"]
    assert (indexed / ".searchsocket" / "searched.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_refused_candidate_can_be_asked_and_accepted(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    (indexed / "golden-queries.toml").write_text(GOLDEN)
    before = run_json("test", project=indexed)["generation"]
    write_page(indexed, "docs/ropes", "Trains", "The railway station sells tickets at noon.")
    refused = run("index", project=indexed)
    assert refused.exit_code == 4
    assert refused.stderr.startswith("error [CANDIDATE_REFUSED]: generation ")
    assert "worst: 'mooring rope' (1 → not found)" in refused.stderr
    assert run_json("test", project=indexed)["generation"] == before
    assert "Trains" not in run("search", "railway", project=indexed).stdout
    result = run("search", "railway", "tickets", "--generation", "candidate", "--json", project=indexed)
    assert json.loads(result.stdout)["results"][0]["title"] == "Trains"
    project = open_project(indexed, {})
    check = index_matches_manifest(ScopeRun(project, project.scope_named("main"), "look"))
    assert (check.passed, "was refused" in check.message) == (True, True), "the chunks are those of the candidate"
    report = run_json("test", "--generation", "candidate", project=indexed)
    assert (report["passed"], report["against"], report["moves"][0]["after"]) == (False, before, 0)
    assert run("index", "--accept-quality-drop", project=indexed).exit_code == 0
    missing_result = run("search", "railway", "--generation", "candidate", project=indexed)
    assert missing_result.exit_code == 3
    assert (
        "error [GENERATION_NOT_KEPT]: scope 'main' has no generation 'candidate'; available: live ("
        in missing_result.stderr
    )
