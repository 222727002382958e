"""`searchsocket find`: every occurrence, for people and as JSON."""

from pathlib import Path

from runner_types import RunCli, RunJson


def test_every_occurrence_is_listed_by_page(run: RunCli, run_json: RunJson, indexed_site: Path) -> None:
    found = run_json("find", "rope", "--parts", "--limit", "1", project=indexed_site)
    assert set(found) == {
        "q", "scope", "generation", "ageSeconds", "total", "pages", "occurrences", "continuation", "truncated"
    }  # fmt: skip
    assert found["total"] > 1
    rest = run_json(
        "find", "rope", "--parts", "--limit", "100", "--continuation", found["continuation"], project=indexed_site
    )
    assert len(rest["occurrences"]) == found["total"] - 1
    shown = run("find", "rope", "--parts", project=indexed_site).stdout
    assert f"{found['total']} occurrences on {found['pages']} page" in shown
    assert found["occurrences"][0]["url"] in shown


def test_words_that_stand_nowhere_are_counted_too(run: RunCli, indexed_site: Path) -> None:
    assert "0 occurrences on 0 pages" in run("find", "zebra", project=indexed_site).stdout
