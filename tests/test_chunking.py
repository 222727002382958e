"""Pages into chunks (spec 9): golden pages, properties over generated ones, and failures of the past by name."""

import itertools
import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st

from searchsocket.chunking import chunk_page
from searchsocket.chunking.cut import cut_code, cut_quote, cut_table
from searchsocket.chunking.sentences import safe_cut, slices, split_prose, split_sentences
from searchsocket.markdown.blocks import parse_blocks
from searchsocket.settings.model import ChunkSettings
from searchsocket.types import Chunk, Page
from tests.conftest import GoldenCheck

CASES = sorted((Path(__file__).parent / "golden" / "chunking").glob("*.md"))
SMALL = ChunkSettings(max_chars=200, overlap_chars=40, min_chars=50, hard_max_chars=400)
each_case = pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)


def page_of(body: str, title: str = "A page", description: str = "") -> Page:
    return Page("/docs/page", title, "main", body, description=description)


def page_from(case: Path) -> tuple[Page, ChunkSettings]:
    """A golden case: an optional first line `<!-- {"max_chars": 200} -->` sets sizes, the rest is the body."""
    first, _, rest = case.read_text(encoding="utf-8").partition("\n")
    if first.startswith("<!-- {"):
        return page_of(rest, case.stem), ChunkSettings(**json.loads(first[5:-4]))
    return page_of(f"{first}\n{rest}", case.stem), ChunkSettings()


def sections_of(body: str, settings: ChunkSettings = SMALL) -> list[Chunk]:
    return [chunk for chunk in chunk_page(page_of(body), settings).chunks if chunk.kind == "section"]


@each_case
def test_chunks_match_the_golden_file(case: Path, golden: GoldenCheck) -> None:
    """The same page is cut the same way on every run and machine (spec 9.1)."""
    chunked = chunk_page(*page_from(case))
    golden(case.with_suffix(".json"), {"chunks": [asdict(c) for c in chunked.chunks], "warnings": chunked.warnings})


# Properties ---------------------------------------------------------------------------------------------------------

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
# Beyond the hard limit a cut block repeats its fence or quote prefix, at most this much.
SLACK = 200


def solid(text: str) -> str:
    return re.sub(r"\s+", "", text)


@runs(deadline=None)  # a busy machine is no failure
@given(bodies, sizes)
def test_no_text_is_lost_and_all_of_it_stays_in_order(body: str, settings: ChunkSettings) -> None:
    """Every visible character of the body is in a chunk, in order; what comes twice is overlap, fence or header."""
    rest = iter(solid("\n".join(chunk.text for chunk in sections_of(body, settings))))
    missing = [char for char in solid(body) if char not in rest]
    assert not missing


@runs(deadline=None)  # a busy machine is no failure
@given(bodies, sizes)
def test_chunks_are_bounded_numbered_and_repeatable(body: str, settings: ChunkSettings) -> None:
    chunked = chunk_page(page_of(body, description="About it."), settings)
    assert chunked == chunk_page(page_of(body, description="About it."), settings)
    assert [chunk.ordinal for chunk in chunked.chunks] == list(range(len(chunked.chunks)))
    assert all(len(chunk.text) <= settings.hard_max_chars + SLACK for chunk in chunked.chunks)
    assert all(chunk.text.strip() for chunk in chunked.chunks)
    assert all(len(chunk.heading_path) <= settings.heading_path_depth for chunk in chunked.chunks)
    refs = [(chunk.anchor, chunk.piece) for chunk in chunked.chunks if chunk.kind == "section"]
    assert len(set(refs)) == len(refs)


@runs(deadline=None)  # a busy machine is no failure
@given(bodies, sizes.filter(lambda settings: settings.max_chars > 80))
def test_every_fence_in_a_chunk_is_closed_there(body: str, settings: ChunkSettings) -> None:
    """A code block is whole, or cut into whole ones (spec 9.1, step 4)."""
    for chunk in sections_of(body, settings):
        for block in parse_blocks(chunk.text):
            if block.kind == "code" and block.text.lstrip()[:3] in {"```", "~~~"}:
                # The parser closes what is left open, so an open fence is one line longer than the chunk holds.
                assert block.text in chunk.text.replace("\r", "")


@runs(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=400), sizes)
def test_any_text_is_cut_without_a_crash(body: str, settings: ChunkSettings) -> None:
    chunked = chunk_page(page_of(body, title=body[:50], description=body), settings)
    assert all(len(chunk.text) <= settings.hard_max_chars + SLACK for chunk in chunked.chunks)


# Headings and sections ----------------------------------------------------------------------------------------------


def test_a_page_without_text_has_no_chunks() -> None:
    for body in ("", "\n \n", "---", "![](a.png)"):
        assert chunk_page(page_of(body), ChunkSettings()).chunks == ()


def test_a_page_without_headings_is_cut_by_paragraphs() -> None:
    paragraphs = [f"Paragraph {n} " + "word " * 25 + "end." for n in range(4)]
    found = sections_of("\n\n".join(paragraphs), SMALL.model_copy(update={"overlap_chars": 0}))
    assert [chunk.text for chunk in found] == paragraphs
    assert {(chunk.heading_path, chunk.section_title, chunk.anchor) for chunk in found} == {((), "", "")}


def test_headings_inside_code_make_no_sections() -> None:
    """Failure 20: tilde and four-backtick fences were not recognised."""
    for mark in ("```", "````", "~~~", "~~~~~~"):
        body = f"# Real\n\n{mark}sh\n# comment\n## other\n{'`' * (len(mark) - 1) if len(mark) > 3 else ''}\n{mark}\n"
        assert {chunk.section_title for chunk in sections_of(body)} == {"Real"}


def test_the_heading_path_is_capped_and_the_section_title_is_not() -> None:
    body = "\n\n".join(f"{'#' * level} H{level} {{#h{level}}}\n\n" + "word " * 40 for level in range(1, 6))
    last = sections_of(body)[-1]
    assert (last.heading_path, last.section_title, last.anchor) == (("H1", "H2", "H3"), "H5", "h5")


def test_a_heading_without_anchor_opens_at_the_nearest_one_before() -> None:
    body = "## A {#a}\n\n" + "word " * 40 + "\n\n## B\n\n" + "word " * 40
    assert [(chunk.section_title, chunk.anchor, chunk.piece) for chunk in sections_of(body)] == [
        ("A", "a", 0),
        ("A", "a", 1),
        ("B", "a", 2),
        ("B", "a", 3),
    ]


def test_small_siblings_merge_under_their_parent_and_keep_the_first_anchor() -> None:
    body = "# Top {#top}\n\n" + "word " * 30 + "".join(f"\n\n## S{n} {{#s{n}}}\n\nTiny." for n in range(3))
    merged = sections_of(body)[-1]
    assert merged.text.count("Tiny.") == 3
    assert (merged.heading_path, merged.section_title, merged.anchor) == (("Top",), "S0", "s0")


def test_a_small_parent_takes_in_its_small_child() -> None:
    found = sections_of("# Top {#top}\n\nIntro.\n\n## Sub {#sub}\n\nTiny.")
    assert [(chunk.heading_path, chunk.anchor) for chunk in found] == [(("Top",), "top")]


def test_a_small_section_never_hides_the_name_of_a_large_one() -> None:
    """A result for the large section must not be shown under the heading of the small one."""
    found = sections_of("## Small {#small}\n\nTiny.\n\n## Large {#large}\n\n" + "word " * 35)
    assert [chunk.section_title for chunk in found] == ["Small", "Large"]


def test_a_heading_without_text_stands_above_the_section_below_it() -> None:
    found = sections_of("# API {#api}\n\n## run {#run}\n\n" + "word " * 60)
    assert found[0].text.startswith("# API {#api}\n\n## run {#run}\n\nword")
    assert (found[0].heading_path, found[0].section_title, found[0].anchor) == (("API", "run"), "run", "api")


def test_a_merge_never_exceeds_max_chars() -> None:
    """Failure 24: merging a tiny tail pushed a chunk over the limit."""
    body = "# A\n\n" + "word " * 38 + "\n\n## B\n\n" + "word " * 5
    assert all(len(chunk.text) <= SMALL.max_chars for chunk in sections_of(body))


def test_a_heading_never_ends_a_chunk() -> None:
    body = "## First {#first}\n\n" + "word " * 30 + "\n\n## Second {#second}\n\n```\n" + "code\n" * 50 + "```"
    assert all(parse_blocks(chunk.text)[-1].kind != "heading" for chunk in sections_of(body))


# Sizes and overlap --------------------------------------------------------------------------------------------------


def test_a_code_block_within_the_hard_limit_stays_whole() -> None:
    code = "```js\n" + "line of code\n" * 25 + "```"
    found = sections_of("## A\n\nIntro.\n\n" + code + "\n\nOutro.")
    assert sum(code in chunk.text for chunk in found) == 1


def test_a_code_block_beyond_the_hard_limit_is_cut_at_line_ends_and_reported() -> None:
    code = "~~~js title\n" + "".join(f"line {n} of the code\n" for n in range(60)) + "~~~"
    chunked = chunk_page(page_of("## A\n\n" + code), SMALL)
    pieces = [chunk.text for chunk in chunked.chunks if chunk.kind == "section"]
    assert len(pieces) > 2
    assert all("~~~js title\nline" in piece and piece.endswith("\n~~~") for piece in pieces)
    assert all(len(piece) <= SMALL.hard_max_chars for piece in pieces)
    assert chunked.warnings == (
        f"a code of {len(code)} characters was cut into {len(pieces)} pieces (chunking.hard_max_chars = 400)",
    )


def test_kinds_that_may_be_split_are_cut_at_max_chars_without_a_report() -> None:
    """`dont_split_inside` has an effect on each kind (failure 71)."""
    blocks = {
        "code": "```\n" + "some code\n" * 30 + "```",
        "table": "| a | b |\n| - | - |\n" + "| cell | cell |\n" * 20,
        "blockquote": "> quoted words\n" * 20,
    }
    for kind, block in blocks.items():
        others = tuple(name for name in blocks if name != kind)
        chunked = chunk_page(page_of(block), SMALL.model_copy(update={"dont_split_inside": others}))
        assert len(chunked.chunks) > 1, kind
        assert not chunked.warnings
        assert len(sections_of(block)) == 1, kind


def test_a_cut_table_repeats_its_header() -> None:
    table = "| Name | Use |\n| --- | --- |\n" + "".join(f"| n{n} | cell |\n" for n in range(50))
    pieces = cut_table(table.strip(), 200)
    assert len(pieces) > 2
    assert all(piece.startswith("| Name | Use |\n| --- | --- |\n| n") and len(piece) <= 200 for piece in pieces)


def test_a_cut_quote_closes_and_reopens_its_fence() -> None:
    quote = "> words\n> ```js\n" + "> code line\n" * 30 + "> ```\n> words"
    for piece in cut_quote(quote, 120):
        (block,) = parse_blocks(piece)
        assert block.kind == "blockquote"
        assert piece.count("> ```") % 2 == 0


def test_an_unusual_fence_cannot_crowd_out_the_code() -> None:
    for opening in ("`" * 500, "```" + "x" * 500):
        pieces = cut_code(f"{opening}\n" + "line\n" * 50 + "`" * (500 if opening[3] == "`" else 3), 100)
        assert sum(piece.count("line") for piece in pieces) == 50
        assert all(len(piece) <= 600 for piece in pieces[1:-1])


def test_a_long_paragraph_is_split_at_sentences_then_words() -> None:
    """Failure 22: one long paragraph gave a chunk far above the model's limit."""
    sentence = "This sentence says that number {} is fine."
    found = sections_of(" ".join(sentence.format(n) for n in range(40)))
    assert all(len(chunk.text) <= SMALL.max_chars and chunk.text.endswith("fine.") for chunk in found)
    assert all(chunk.text.startswith("This") for chunk in found)
    endless = sections_of("word " * 500)
    assert all(len(chunk.text) <= SMALL.max_chars and set(chunk.text.split()) == {"word"} for chunk in endless)


def test_text_without_blanks_is_cut_between_graphemes() -> None:
    """Failure 68: half a code point, or half an emoji, at the edge of a chunk."""
    family, flag, accent = "👩‍👩‍👧‍👦", "🇫🇷", "e\u0301"
    for cluster in (family, flag, accent, "👍🏽", "각", "क्ष"):
        pieces = slices(cluster * 100, 50)
        assert "".join(pieces) == cluster * 100
        assert all(len(piece) <= 50 and not len(piece) % len(cluster) for piece in pieces)


def test_a_mountain_of_combining_marks_is_still_cut() -> None:
    pieces = slices("a" + "\u0301" * 10_000, 100)
    assert max(map(len, pieces)) <= 100
    assert safe_cut("ab", 1) == 1


def test_sentences_end_where_a_reader_sees_it() -> None:
    text = 'It is e.g. this. See [a. B](/x.y) now! 它是。这是？ `a. B` end. "Quoted." Next'
    assert [part for _, part in split_sentences(text)] == [
        "It is e.g. this.",
        "See [a. B](/x.y) now!",
        "它是。",
        "这是？",
        "`a. B` end.",
        '"Quoted."',
        "Next",
    ]


@runs(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=300), st.integers(1, 60))
def test_split_prose_keeps_every_character_but_blanks(text: str, limit: int) -> None:
    parts = split_prose(text, limit)
    assert all(len(part) <= limit for _, part in parts)
    assert solid("".join(part for _, part in parts)) == solid(text)


def test_overlap_repeats_whole_sentences_of_prose() -> None:
    sentences_of_five = " ".join(f"Sentence number {n} is here." for n in range(30))
    found = sections_of(sentences_of_five)
    for before, after in itertools.pairwise(found):
        overlap = after.text[: len("Sentence number 10 is here.")].rstrip()
        assert before.text.rstrip().endswith(overlap)
        assert len(after.text) <= SMALL.max_chars


def test_overlap_never_starts_inside_code_table_or_quote() -> None:
    """Failure 21: overlap began in the middle of a fence."""
    for block in ("```\ncode\n```", "| a | b |\n| - | - |\n| c. | d. |", "> Quoted. Words."):
        body = "Filler. " * 18 + "\n\n" + block + "\n\n" + "Words. " * 27
        found = sections_of(body)
        assert sum(block in chunk.text for chunk in found) == 1
        assert sum(block.split("\n")[0] in chunk.text for chunk in found) == 1


@pytest.mark.parametrize("overlap", [0, 1, 199])
def test_overlap_neither_stops_progress_nor_grows_chunks(overlap: int) -> None:
    """Failure 23: an overlap as large as the limit made every chunk grow past it."""
    settings = SMALL.model_copy(update={"overlap_chars": overlap})
    found = sections_of(" ".join(f"S{n}." for n in range(500)), settings)
    assert all(len(chunk.text) <= SMALL.max_chars for chunk in found)
    assert len(found) < 500


def test_a_long_list_is_split_between_items_and_a_long_item_between_its_blocks() -> None:
    items = [f"- item {n} " + "word " * 12 for n in range(8)]
    assert all(chunk.text.startswith("- item") for chunk in sections_of("\n".join(items)))
    code = "```js\n" + "code();\n" * 20 + "```"
    nested = "- first " + "word " * 30 + "\n\n" + "\n".join("  " + line for line in code.split("\n")) + "\n- second"
    assert sum(code in chunk.text for chunk in sections_of(nested)) == 1


def test_a_few_words_stay_with_the_large_block_that_they_lead_up_to() -> None:
    code = "```css\n" + "a { color: red }\n" * 15 + "```"
    assert sections_of(f"**app.css**\n\n{code}")[0].text == f"**app.css**\n\n{code}"


# The summary --------------------------------------------------------------------------------------------------------


def test_the_summary_holds_title_description_and_headings() -> None:
    page = page_of("# A *page*\n\nText.\n\n## 1. `run_it` {#run}\n\nMore.", "A page", "About [it].")
    summary = chunk_page(page, ChunkSettings()).chunks[0]
    assert summary == Chunk(
        "/docs/page",
        0,
        "summary",
        (),
        "",
        "",
        0,
        "# A page\n\nAbout \\[it\\].\n\n- 1\\. \\`run\\_it\\`".replace("\\`", ""),
    )
    without = chunk_page(page, ChunkSettings(page_summary=False)).chunks
    assert [(chunk.ordinal, chunk.kind) for chunk in without] == [(0, "section")]


def test_a_page_of_which_the_title_says_all_has_no_summary() -> None:
    """Every section carries the title; a chunk of nothing else comes up for whatever has one of its words."""
    page = page_of("# A page\n\nText.", "A page")
    assert [chunk.kind for chunk in chunk_page(page, ChunkSettings()).chunks] == ["section"]
    told = chunk_page(page_of("Text.", "", "About it."), ChunkSettings()).chunks
    assert [(chunk.kind, chunk.text) for chunk in told] == [("summary", "About it."), ("section", "Text.")]


def test_the_summary_fits_into_max_chars() -> None:
    body = "\n\n".join(f"## Heading {n}\n\nText." for n in range(200))
    for title, description in (("T" * 5000, "D " * 5000), ("*" * 5000, "")):
        summary = chunk_page(page_of(body, title, description), SMALL).chunks[0]
        assert summary.kind == "summary"
        assert len(summary.text) <= SMALL.max_chars


@pytest.mark.parametrize(
    "body",
    [
        "- " * 50_000,
        "> " * 50_000,
        "[" * 100_000,
        "`" * 100_000,
        "a" * 200_000,
        "# " + "x" * 200_000,
        "| a " * 50_000 + "\n" + "| - " * 50_000,
        "- a\n" * 30_000,
        "# h\n" * 30_000,
        "1. x\n  - y\n" * 15_000,
        "\u0301" * 100_000,
        "~~~\n" * 30_001,
        "```x\n" + "y" * 300_000,
        "a. " * 60_000,
    ],
    ids=lambda body: repr(body[:6]),
)
def test_hostile_pages_are_cut_in_linear_time(body: str) -> None:
    """Quadratic work on these would take minutes."""
    chunked = chunk_page(page_of(body), ChunkSettings())
    assert all(len(chunk.text) <= ChunkSettings().hard_max_chars + SLACK for chunk in chunked.chunks)
