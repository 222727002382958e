"""`searchsocket search` (spec 14, 19)."""

from dataclasses import replace
from pathlib import Path

import pytest
from runner_types import RunCli, RunJson
from small_site import write_page

from searchsocket.cli.results import answer_lines, mark_lines
from searchsocket.search.answer import AlikePage, Result, SearchAnswer, SearchMeta, Timings
from searchsocket.search.wire import FileLines

BOLD = "\x1b[33m\x1b[1m"


def result(title: str = "Tides", section: str = "High water", text: str = "The tide table.", **more: str) -> Result:
    return Result(
        url="/docs/tides",
        href=more.get("href", "/docs/tides#high"),
        anchor="high",
        title=title,
        section_title=section,
        heading_path=(),
        snippet=text,
        snippet_html="",
        marks=((4, 8),),
        score=0.75,
        confidence=0.9,
        kind="section",
        ref="",
        tags=(),
        language="en",
        modified="",
        route_file=more.get("route", "src/routes/docs/[slug]/+page.svelte"),
        route_resolution="exact",
        source=FileLines(more.get("source"), 12 if "source" in more else None, 14),
        mirror=FileLines("docs/tides.md", 9, 11),
        scope="main",
        generation="g",
        age_seconds=0.0,
        sections=(),
    )


def answer(*results: Result) -> SearchAnswer:
    meta = SearchMeta(Timings(0, 0, 0, 0, 2.0), False, "hash", "g", "", 0.0, None)
    return SearchAnswer("tide", "main", "page", results, len(results), meta)


def test_a_result_names_title_section_place_and_route_file() -> None:
    lines = list(answer_lines(answer(result()), 80))
    plain = [line.replace("\x1b[0m", "") for line in lines]
    assert "Tides" in plain[0]
    assert "High water" in plain[0]
    assert "0.750" in plain[0]
    assert "/docs/tides#high" in plain[2]
    assert "src/routes/docs/[slug]/+page.svelte" in plain[2]


def test_a_result_from_a_content_file_names_the_line_to_edit() -> None:
    """`file:line` is what terminals and editors open."""
    assert "(content/tides.md:12)" in list(answer_lines(answer(result(source="content/tides.md")), 80))[2]


def test_pages_that_say_the_same_are_one_line() -> None:
    copies = tuple(AlikePage(f"/v{number}", f"/v{number}#high", "Tides") for number in range(1, 5))
    lines = list(answer_lines(answer(replace(result(), alike=copies)), 80))
    assert any("and 4 similar: /v1#high, /v2#high, /v3#high, …" in line for line in lines)


def test_nothing_found_is_said_in_words() -> None:
    assert list(answer_lines(answer(), 80)) == ["No results for “tide” in scope main."]


def test_an_answer_that_fits_badly_says_so_first() -> None:
    lines = list(answer_lines(replace(answer(result()), quality="weak"), 80))
    assert lines[0] == "\x1b[33mNo close match. Closest results:\x1b[0m"
    assert lines[1:] == list(answer_lines(answer(result()), 80))


def test_the_match_is_marked() -> None:
    assert list(mark_lines("The tide table.", [(4, 8)], 80)) == [f"The {BOLD}tide\x1b[0m table."]


def test_a_mark_that_crosses_a_line_end_is_marked_on_both_lines() -> None:
    lines = list(mark_lines("aaaa bbbb cccc dddd eeee ffff", [(15, 24)], 20))
    assert lines == [f"aaaa bbbb cccc {BOLD}dddd\x1b[0m", f"{BOLD}eeee\x1b[0m ffff"]


def test_code_is_indented_and_keeps_its_lines() -> None:
    text = "Feed it:\nif tide:\n    feed()\nThen rest."
    lines = list(mark_lines(text, [(12, 16)], 80, [(9, 28)]))
    assert lines == ["Feed it:", f"  if {BOLD}tide\x1b[0m:", "      feed()", "Then rest."]


@pytest.mark.parametrize("evil", ["\x1b[2J", "\x1b]0;owned\x07", "\u202e", "\x9b31m", "\r", "\x08"])
def test_nothing_from_a_page_can_steer_the_terminal(evil: str) -> None:
    """A page may hold escape sequences; what the terminal gets are our own styles alone."""
    bad = result(f"T{evil}", f"S{evil}", f"The tide{evil} table", href=f"/a{evil}", route=f"src/{evil}x")
    text = "\n".join(answer_lines(answer(bad), 80))
    for own in (BOLD, "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[36m"):
        text = text.replace(own, "")
    assert not {"\x1b", "\x07", "\u202e", "\x9b", "\r", "\x08"} & set(text)


def test_plain_text_where_it_is_no_terminal(run: RunCli, indexed_site: Path) -> None:
    outcome = run("search", "tide", "table", project=indexed_site)
    assert outcome.exit_code == 0
    assert "\x1b" not in outcome.stdout
    assert outcome.stdout.splitlines()[0].startswith("1. Tides")
    assert "/docs/tides" in outcome.stdout


def test_options_narrow_the_search(run_json: RunJson, indexed_site: Path) -> None:
    everywhere = run_json("search", "tide table", project=indexed_site)
    assert {candidates["url"] for candidates in everywhere["results"]} > {"/docs/tides", "/about"}
    below = run_json("search", "tide table", "--path-prefix", "/docs", project=indexed_site)
    assert {candidates["url"] for candidates in below["results"]} == {"/docs/tides", "/docs/install", "/docs/ropes"}
    one = run_json("search", "tide table", "--top-k", "1", project=indexed_site)
    assert [candidates["url"] for candidates in one["results"]] == ["/docs/tides"]
    tagged = run_json("search", "tide table", "--tag", "nautical", project=indexed_site)
    assert tagged["results"] == []
    foreign = run_json("search", "tide table", "--language", "fr", "--language", "de", project=indexed_site)
    assert foreign["results"] == []
    summaries = run_json("search", "tide table", "--kind", "summary", "--group-by", "chunk", project=indexed_site)
    assert {candidates["anchor"] for candidates in summaries["results"]} == {""}
    chunks = run_json("search", "tide table", "--group-by", "chunk", project=indexed_site)
    assert chunks["groupBy"] == "chunk"
    assert all(candidates["sections"] == [] for candidates in chunks["results"])


def test_json_is_the_answer_of_the_api(run_json: RunJson, indexed_site: Path) -> None:
    report = run_json("search", "mooring rope", project=indexed_site)
    assert set(report) == {"q", "scope", "groupBy", "results", "total", "meta", "quality"}
    first = report["results"][0]
    assert (first["url"], first["routeFile"]) == ("/docs/ropes", "src/routes/docs/[slug]/+page.svelte")
    assert report["meta"]["modelId"]


def test_configured_synonyms_are_looked_for(run_json: RunJson, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_json("search", "krakatau", project=indexed)["results"] == []
    monkeypatch.setenv("SEARCHSOCKET__RANKING__SYNONYMS", '[["krakatau", "tide table"], ["rope", "hawser"]]')
    assert run_json("search", "krakatau", project=indexed)["results"][0]["url"] == "/docs/tides"


def test_a_scope_without_index_is_told(run: RunCli, indexed_site: Path) -> None:
    outcome = run("search", "tide", "--scope", "preview", project=indexed_site)
    assert outcome.exit_code == 3
    assert outcome.stderr.startswith("error [SCOPE_NOT_INDEXED]: ")


def test_an_empty_query_is_refused(run: RunCli, indexed_site: Path) -> None:
    outcome = run("search", " ", project=indexed_site)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("error [INVALID_REQUEST]: ")


def test_a_hostile_page_is_harmless_from_end_to_end(run: RunCli, site: Path) -> None:
    write_page(site, "evil", "Evil \x1b]0;owned\x07 title", "A kraken \x1b[2J rises.")
    run("index")
    outcome = run("search", "kraken", color=True)
    assert "\x1b]" not in outcome.stdout
    assert "\x1b[2J" not in outcome.stdout
