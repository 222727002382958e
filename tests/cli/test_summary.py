"""The summary of a run: source of the pages, left out pages, and duration."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from runner_types import RunCli, RunJson

from searchsocket.cli.index_run import listener
from searchsocket.cli.summary import grouped_warnings, source_lines
from searchsocket.sources.base import SourceOrigin
from searchsocket.state.project import ProjectState
from searchsocket.text.skipped import Skipped, skipped_words

CONFIG = "import { defineConfig } from 'vitepress'\nexport default defineConfig({})\n"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (SourceOrigin("static-output", folder="dist", generator="Astro"), "static-output, dist (Astro)"),
        (SourceOrigin("content-files", folder="."), "content-files, ."),
        (SourceOrigin("crawl", address="http://127.0.0.1:4173"), "crawl, http://127.0.0.1:4173"),
        (SourceOrigin("git-branch", revision="main"), "git-branch, main"),
    ],
)
def test_the_source_of_pages_is_one_line(origin: SourceOrigin, words: str) -> None:
    assert list(source_lines(origin.facts())) == [("source", words)]


def test_further_facts_have_a_line_each() -> None:
    facts = {"source": "crawl", "address": "http://h", "addresses": ".html kept (412 of 415 links)"}
    assert list(source_lines(facts))[1] == ("addresses", ".html kept (412 of 415 links)")


def test_warnings_of_one_kind_are_one_line_with_their_number() -> None:
    split = "a code block is longer than 8,000 characters (chunking.hard_max_chars) and was split"
    warnings = [
        f"/a: {split}: 9,100 characters, 2 pieces",
        f"/b: {split}: 20,400 characters, 3 pieces",
        "... and 19 more like the last one",
        "robots.txt: it cannot be read",
    ]
    assert grouped_warnings(warnings) == [f"21 times: {split}; first in /a", "robots.txt: it cannot be read"]


def test_few_that_are_skipped_are_named() -> None:
    skipped = [Skipped("404.html", "error page"), Skipped("/old", "a redirect")]
    reasons = {"error page": 1, "a redirect": 1}
    assert skipped_words(skipped, reasons) == "404.html (error page), /old (a redirect)"
    assert skipped_words([], {}) == ""


def test_many_that_are_skipped_are_counted_by_reason() -> None:
    reasons = {"noindex": 1200, "a redirect": 3, **{f"{n}.html is the same page": 1 for n in range(9)}}
    words = skipped_words([Skipped("/a", "noindex")], reasons)
    assert words.startswith("1,200 noindex (/a, …), 3 a redirect, ")
    assert words.endswith(", 6 for other reasons")


def test_every_summary_begins_with_the_source_and_what_was_left_out(run: RunCli, indexed: Path) -> None:
    """Also a run that changed nothing, and the status of what is live."""
    (indexed / ".vitepress").mkdir()
    (indexed / ".vitepress" / "config.ts").write_text(CONFIG)
    (indexed / "build").rename(indexed / ".vitepress" / "dist")
    (indexed / ".vitepress" / "dist" / "404.html").write_text("<h1>Nothing here</h1>")
    for _ in range(2):
        lines = run("index", project=indexed).stdout.splitlines()
        assert lines[1].split(maxsplit=1) == ["source", "static-output, .vitepress/dist (VitePress)"]
        assert lines[2].split(maxsplit=1)[0] == "addresses"
        assert lines[4].split(maxsplit=1) == ["skipped", "404.html (error page)"]
    live = run("status", project=indexed).stdout.partition("\nmain\n")[2].splitlines()
    assert live[:3] == [lines[1], lines[2], lines[4]]


def test_the_same_word_means_the_same_number_everywhere(run_json: RunJson, indexed: Path) -> None:
    """`found` of the summary, of `doctor` and of Dagster."""
    (indexed / "build" / "404.html").write_text("<h1>Nothing here</h1>")
    (indexed / "build" / "bare.html").write_text("<main></main>")
    pages = run_json("index", project=indexed)["pages"]
    (source,) = [line for line in run_json("doctor", project=indexed)["checks"] if line["name"] == "source"]
    report = ProjectState(indexed / ".searchsocket").last_report("main", "site_pages")
    assert report is not None
    assert (pages["found"], pages["indexed"], pages["skipped"]) == (7, 5, 2)
    assert source["detail"] == "static-output, build, 7 pages found; skipped: 404.html (error page)"
    assert report["numbers"]["found"] == 7
    checks = {line["name"]: line["detail"] for line in run_json("doctor", project=indexed)["checks"]}
    assert checks["addresses"] == report["facts"]["addresses"]


def test_the_total_is_the_time_that_somebody_waited(run_json: RunJson, indexed: Path) -> None:
    """With loading and Dagster, which are most of a run that changes nothing."""
    for options, around in ((["--dry-run"], "planning"), ([], "checks")):
        seconds: dict[str, Any] = run_json("index", *options, project=indexed)["seconds"]
        assert next(iter(seconds)) == "loading"
        assert list(seconds)[-2:] == [around, "total"]
        parts = sum(value for name, value in seconds.items() if name != "total")
        assert parts == pytest.approx(seconds["total"], abs=0.01)


def test_a_person_who_waits_sees_for_what(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with listener(lines=False, first="Starting Dagster"):
        pass
    assert "Starting Dagster" in terminal.getvalue()


def test_an_index_that_an_older_release_made_is_shown_without_its_source(run_json: RunJson, indexed: Path) -> None:
    """`status` touches nothing: the next run mends the state."""
    (indexed / ".searchsocket" / "state.db").write_bytes(b"not a database")
    (scope,) = run_json("status", project=indexed)["scopes"]
    assert (scope["source"], scope["skipReasons"]) == ({}, {})
    assert (indexed / ".searchsocket" / "state.db").read_bytes() == b"not a database"
