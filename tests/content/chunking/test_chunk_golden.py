"""Golden pages, and what holds of every page and all sizes (spec 9)."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st
from pages_to_cut import SLACK, page_of, sections_of, solid

from searchsocket.content.chunking import chunk_page
from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.content.pages import Page
from searchsocket.project.settings.site import ChunkSettings
from tests.conftest import GoldenCheck

CASES = sorted((Path(__file__).parents[2] / "golden" / "chunking").glob("*.md"))
each_case = pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)


def page_from(case: Path) -> tuple[Page, ChunkSettings]:
    """A golden case: an optional first line `<!-- {"max_chars": 200} -->` sets sizes, the rest is the body."""
    first, _, rest = case.read_text(encoding="utf-8").partition("\n")
    if first.startswith("<!-- {"):
        return page_of(rest, case.stem), ChunkSettings(**json.loads(first[5:-4]))
    return page_of(f"{first}\n{rest}", case.stem), ChunkSettings()


@each_case
def test_chunks_match_the_golden_file(case: Path, golden: GoldenCheck) -> None:
    """The same page is cut the same way on every run and machine (spec 9.1)."""
    chunked = chunk_page(*page_from(case))
    golden(case.with_suffix(".json"), {"chunks": [asdict(c) for c in chunked.chunks], "warnings": chunked.warnings})


WORDS = ["alpha", "Beta", "é", "漢字", "👍🏽", "end.", "why?", "`a", "[x](/y)", "]", "[", "(", "`", "*b*", "snake_case",
         "{#z}", "漢。字", "e.g.", "\\|", "verylongword"]  # fmt: skip
prose = st.lists(st.sampled_from(WORDS), min_size=1, max_size=120).map(lambda found: "x " + " ".join(found) + ".")
code_lines = st.lists(
    st.sampled_from(["# no heading", "let x = 1", "", "    deep", "| a |", "> b", "~~", "- i"]), max_size=40
)
headings = st.builds(
    lambda level, text, anchor: f"{'#' * level} {text}" + (f" {{#{anchor}}}" if anchor else ""),
    st.integers(1, 6),
    st.sampled_from(["Alpha", "Beta gamma", "`code` name", "Long heading " * 12]),
    st.sampled_from(["", "a", "b-c"]),
)
fences = st.builds(
    lambda mark, info, lines, indent: "\n".join(
        " " * indent + line for line in [f"{mark}{info}", "first line", *lines, mark]
    ),
    st.sampled_from(["```", "````", "~~~", "~~~~~"]),
    st.sampled_from(["", "js", "svelte title=x"]),
    code_lines,
    st.integers(0, 3),
)
tables = st.lists(prose, min_size=1, max_size=4).map(
    lambda rows: "\n".join(["| a | b |", "| --- | --- |", *(f"| {row.replace('|', '')} | 1 |" for row in rows)])
)
quotes = st.lists(prose, min_size=1, max_size=4).map(lambda lines: "\n".join(f"> {line}" for line in lines))
lists = st.lists(prose, min_size=1, max_size=4).map(lambda items: "\n".join(f"- {item}" for item in items))
bodies = st.lists(st.one_of(headings, prose, fences, tables, quotes, lists), max_size=8).map("\n\n".join)
sizes = st.builds(
    lambda top, overlap, low, extra, depth, keep: ChunkSettings(
        max_chars=top,
        overlap_chars=min(overlap, top - 1),
        min_chars=min(low, top),
        hard_max_chars=top + extra,
        heading_path_depth=depth,
        dont_split_inside=keep,
    ),
    st.integers(1, 600),
    st.integers(0, 300),
    st.integers(0, 300),
    st.integers(0, 600),
    st.integers(1, 6),
    st.sampled_from([("code", "table", "blockquote"), ("code",), ()]),
)


@runs(deadline=None)  # a busy machine is no failure
@given(bodies, sizes)
def test_no_text_is_lost_and_all_of_it_stays_in_order(body: str, settings: ChunkSettings) -> None:
    """Every visible character of the body is in a chunk, in order; what comes twice is overlap, fence or header."""
    rest = iter(solid("\n".join(chunk.body.text for chunk in sections_of(body, settings))))
    missing = [char for char in solid(body) if char not in rest]
    assert not missing


@runs(deadline=None)  # a busy machine is no failure
@given(bodies, sizes)
def test_chunks_are_bounded_numbered_and_repeatable(body: str, settings: ChunkSettings) -> None:
    chunked = chunk_page(page_of(body, description="About it."), settings)
    assert chunked == chunk_page(page_of(body, description="About it."), settings)
    assert [chunk.ordinal for chunk in chunked.chunks] == list(range(len(chunked.chunks)))
    assert all(len(chunk.body.text) <= settings.hard_max_chars + SLACK for chunk in chunked.chunks)
    assert all(chunk.body.text.strip() for chunk in chunked.chunks)
    assert all(len(chunk.at.heading_path) <= settings.heading_path_depth for chunk in chunked.chunks)
    refs = [(chunk.at.anchor, chunk.at.piece) for chunk in chunked.chunks if chunk.kind != "summary"]
    assert len(set(refs)) == len(refs)


@runs(deadline=None)  # a busy machine is no failure
@given(bodies, sizes.filter(lambda settings: settings.max_chars > 80))
def test_every_fence_in_a_chunk_is_closed_there(body: str, settings: ChunkSettings) -> None:
    """A code block is whole, or cut into whole ones (spec 9.1, step 4)."""
    for chunk in sections_of(body, settings):
        for block in parse_blocks(chunk.body.text):
            if block.kind == "code" and block.text.lstrip()[:3] in {"```", "~~~"}:
                # The parser closes what is left open, so an open fence is one line longer than the chunk holds.
                assert block.text in chunk.body.text.replace("\r", "")


@runs(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=400), sizes)
def test_any_text_is_cut_without_a_crash(body: str, settings: ChunkSettings) -> None:
    chunked = chunk_page(page_of(body, title=body[:50], description=body), settings)
    assert all(len(chunk.body.text) <= settings.hard_max_chars + SLACK for chunk in chunked.chunks)
