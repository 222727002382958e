"""`curation.toml` from the command line: results, reasons, mistakes, rules without effect, and golden queries."""

from pathlib import Path

from runner_types import RunCli, RunJson

PIN = '[[pin]]\nquery = "berth prices"\npages = "/about"\n'
EXPIRED = '[[hide]]\nquery = "*"\npages = "/docs/*"\nuntil = 2020-01-31\n'
GOLDEN = '[[query]]\nquery = "mooring rope"\nexpect = "/docs/ropes"\n'


def test_a_pin_answers_without_a_new_index(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    assert run_json("search", "berth prices", project=indexed)["results"] == []
    (indexed / "curation.toml").write_text(PIN + EXPIRED)
    assert [result["url"] for result in run_json("search", "berth prices", project=indexed)["results"]] == ["/about"]
    explained = run("search", "berth prices", "--explain", project=indexed).stdout
    assert "curation.toml:1 pins /about\n" in explained
    previous = run_json("search", "berth prices", "--generation", "live", project=indexed)
    assert [hit["url"] for hit in previous["results"]] == ["/about"]


def test_a_mistake_names_file_and_line(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    """And the other rules count."""
    (indexed / "curation.toml").write_text(PIN + '[[hide]]\nquery = "tide"\npage = "/about"\n')
    mistake = f"{indexed / 'curation.toml'}:6: unknown key hide.page; did you mean pages?"
    result = run("search", "berth prices", project=indexed)
    assert result.exit_code == 0
    assert "1. About" in result.stdout
    assert f"note: {mistake} (this rule is left out)" in result.stderr
    assert f"warning: {mistake} (this rule is left out)" in run("export", "out", project=indexed).stderr
    assert mistake in run_json("index", project=indexed)["warnings"]
    report = run("doctor", project=indexed)
    assert report.exit_code == 1
    assert "curation.toml:6: unknown key hide.page" in report.stdout


def test_rules_without_effect_are_named(indexed: Path, run: RunCli, run_json: RunJson) -> None:
    (indexed / "curation.toml").write_text(PIN.replace("/about", "/gone") + EXPIRED)
    expired = "curation.toml:4 expired on 2020-01-31; remove the rule or change its date"
    missing = "curation.toml:1 pins /gone, which is not in the index"
    lines = [line["detail"] for line in run_json("doctor", project=indexed)["checks"] if line["name"] == "curation"]
    assert lines[1:] == [expired, missing]
    assert {expired, missing} <= {*run_json("index", project=indexed)["warnings"]}
    explained = run("search", "berth prices", "--explain", project=indexed).stdout
    assert "curation.toml:1 pins /gone, which is not in the index or excluded by the filters" in explained


def test_a_rule_that_breaks_a_golden_query_fails_the_test(indexed: Path, run: RunCli) -> None:
    (indexed / "golden-queries.toml").write_text(GOLDEN)
    (indexed / "curation.toml").write_text('[[pin]]\nquery = "*rope"\npages = "/about"\n')
    moved = run("test", project=indexed)
    assert moved.exit_code == 0
    assert "note: curation.toml:1 moves 'mooring rope' from 1 to 2" in moved.stdout
    (indexed / "curation.toml").write_text('\n[[hide]]\nquery = "*"\npages = "/docs/ropes"\n')
    broken = run("test", project=indexed)
    assert broken.exit_code == 1
    assert "failed: 'mooring rope' finds no expected page because of curation.toml:2" in broken.stdout
