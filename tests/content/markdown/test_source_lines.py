"""Line numbers of the blocks of a page in its content file (spec 9.2)."""

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st

from searchsocket.content.chunking import chunk_page
from searchsocket.content.markdown.lines import source_lines
from searchsocket.content.markdown.page import extract_markdown
from searchsocket.content.pages import ExtractedPage, Page, RawPage
from searchsocket.project.settings.site import ChunkSettings, ExtractSettings, TransformSettings
from searchsocket.types import PageFacts, Section

SMALL = ChunkSettings(max_chars=200, overlap_chars=40, min_chars=50, hard_max_chars=400)
CONTENT = sorted((Path(__file__).parents[3] / "examples/docs-site/src").rglob("*.md"))
HEADS = ["", "---\ntitle: Tides\n---\n", "+++\ntitle = 'T'\n+++\n\n", "---\ntitle: A\ntags:\n  - b\n---\n\n\n"]
BLOCKS = [
    "# Tides", "## Ropes", "Setext\n---", "The same words.", "The same words.", "A paragraph *of* two\nlines `here`.",
    "One sentence of many words that go on. " * 9, "<script>\n  let a = 1;\n</script>", "<!-- a comment\n\nof two -->",
    "<Callout>\n\nInside a component.\n\n</Callout>", "{#if shown}", "```js\ncall();\n\ncall();\n```", "***",
    "```js\n" + "long_call();\n" * 50 + "```", "| a | b |\n| - | - |\n| c | [d](./other.md) |", "> quoted\n> words",
    "* one\n* two\n\n* three", "1. first " + "word " * 50 + "\n\n   more " + "word " * 50 + "\n2. second",
    "<div>\n  <p>Plain <b>HTML</b>.</p>\n</div>", "A line.<br>Another one.", "![A boat](boat.png)",
]  # fmt: skip
files = st.builds(
    lambda head, blocks, gap: head + gap.join(blocks),
    st.sampled_from(HEADS), st.lists(st.sampled_from(BLOCKS), max_size=12), st.sampled_from(["\n\n", "\n\n\n"]),
)  # fmt: skip


def extract(text: str) -> ExtractedPage:
    page = RawPage("/docs/tides", "/docs/tides", "docs/tides.md", "", "markdown")
    return extract_markdown(text.encode(), page, ExtractSettings(), TransformSettings())


def words(text: str) -> str:
    """The letters alone: link targets, bare tags, anchors and list numbers differ between a page and its file."""
    own = r"(?m)\]\([^)\s]*\)|</?[a-z]+ ?/?>|<a [^>]*>|\{#[^}]*\}|^\s*\d+\.(?!\S)"  # two lists in a row are one
    return re.sub(r"[\W_]+", "", unescape(re.sub(own, "", text)))


def check(text: str, settings: ChunkSettings) -> tuple[int, int]:
    """Chunks whose lines are known, and all."""
    extracted = extract(text)
    facts = PageFacts(url="/docs/tides", title=extracted.title)
    page = Page(facts, "main", extracted.body, source_lines=extracted.source_lines)
    lines = text.replace("\r\n", "\n").split("\n")
    known_lines = total = 0
    for chunk in chunk_page(page, settings).chunks:
        at = chunk.at
        assert isinstance(at, Section)
        if chunk.kind == "summary":
            assert (at.source_first, at.source_last) == (0, 0)
            continue
        total += 1
        if at.source_first:
            known_lines += 1
            stretch = words("\n".join(lines[at.source_first - 1 : at.source_last]))
            assert all(words(line) in stretch for line in chunk.body.text.split("\n"))
    return known_lines, total


@runs(deadline=None)  # a busy machine is no failure
@given(files, st.sampled_from([SMALL, ChunkSettings()]))
def test_the_lines_of_a_chunk_say_in_the_file_what_it_says(text: str, settings: ChunkSettings) -> None:
    """Whatever is left out, repeated or rewritten on the way to the page."""
    check(text, settings)


@pytest.mark.parametrize("path", CONTENT, ids=lambda path: path.stem)
def test_every_passage_of_the_example_is_known_by_its_lines(path: Path) -> None:
    known_lines, total = check(path.read_text(encoding="utf-8"), ChunkSettings())
    assert known_lines == total


def test_equal_blocks_are_told_apart_by_their_neighbours() -> None:
    source = "Same.\n\nFirst.\n\nSame.\n\n<Gone />\n\nSecond.\n\nSame.\n"
    body = "Same.\n\nFirst.\n\nSame.\n\nSecond.\n\nSame."
    assert source_lines(body, source, above=3) == (4, 4, 6, 6, 8, 8, 12, 12, 14, 14)


def test_a_block_that_is_not_in_the_file_has_no_lines() -> None:
    assert source_lines("First.\n\nGenerated.\n\nSecond.", "First.\n\nSecond.") == (1, 1, 0, 0, 3, 3)
    assert source_lines("Generated.", "") == (0, 0)


@pytest.mark.parametrize("text", ["a\n\n" * 20_000, "".join(f"{n}\n\n" for n in range(20_000))])
def test_long_files_take_linear_time(text: str) -> None:
    """Quadratic work on these would take minutes."""
    assert len(source_lines(text, "x\n\n" + text)) == 40_000
