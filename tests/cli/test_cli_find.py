"""`searchsocket find`: every occurrence, for people and as JSON."""

from pathlib import Path

from runner_types import RunCli, RunJson


def test_every_occurrence_is_listed_by_page(run: RunCli, run_json: RunJson, indexed_site: Path) -> None:
    report = run_json("find", "rope", "--parts", "--limit", "1", project=indexed_site)
    assert set(report) == {
        "q", "scope", "generation", "ageSeconds", "total", "pages", "occurrences", "continuation", "truncated"
    }  # fmt: skip
    assert report["total"] > 1
    rest = run_json(
        "find", "rope", "--parts", "--limit", "100", "--continuation", report["continuation"], project=indexed_site
    )
    assert len(rest["occurrences"]) == report["total"] - 1
    output = run("find", "rope", "--parts", project=indexed_site).stdout
    assert f"{report['total']} occurrences on {report['pages']} page" in output
    assert report["occurrences"][0]["url"] in output


def test_words_that_stand_nowhere_are_counted_too(run: RunCli, indexed_site: Path) -> None:
    assert "0 occurrences on 0 pages" in run("find", "zebra", project=indexed_site).stdout
