"""Line numbers of a chunk in its mirror file, which readers open to edit the passage (spec 9.2)."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st
from pages_to_cut import SMALL, page_of, sections_of

from searchsocket.content.chunking import chunk_page
from searchsocket.content.chunking.records import cut_chunks
from searchsocket.content.mirror import render_page
from searchsocket.content.pages import Page
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.types import Chunk, Record, Scope, Section

BLOCKS = [
    "## Tides {#tides}", "### Ropes", "Setext\n===", "A short paragraph.", "Two lines\nof one paragraph.",
    "One long sentence of many words that go on. " * 8, "Wrapped sentence number one.\n" * 12, "---",
    "```js\n" + "call();\n" * 9 + "```", "```js\n" + "long_call();\n" * 50 + "```", "~~~\nnever closed",
    "| a | b |\n| - | - |\n" + "| cell | cell |\n" * 40, "> quoted words\n" * 40,
    "- one\n- two", "- item of a list " * 3 + "\n" + "- another item of it " * 3,
    "\n".join(f"- item {n}" for n in range(60)),
    "- first " + "word " * 60 + "\n\n  inner paragraph " + "word " * 60 + "\n- second\n",
]  # fmt: skip
pages = st.builds(
    lambda blocks, gap, title: page_of(gap.join(blocks), title),
    st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=10), st.sampled_from(["\n\n", "\n\n\n\n"]), st.text("ab \n"),
)  # fmt: skip


def at(chunk: Chunk) -> Section:
    assert isinstance(chunk.at, Section)
    return chunk.at


def letters(text: str) -> str:
    return re.sub(r"\W+", "", text)


@runs(deadline=None)  # a busy machine is no failure
@given(pages, st.sampled_from([SMALL, ChunkSettings()]))
def test_the_lines_of_a_chunk_say_what_it_says(page: Page, settings: ChunkSettings) -> None:
    file = render_page(page).split("\n")
    for chunk in chunk_page(page, settings).chunks:
        first, last = at(chunk).first, at(chunk).last
        if chunk.kind == "summary":
            assert (first, last) == (0, 0)
            continue
        assert 0 < first <= last
        stretch = letters("\n".join(file[first - 1 : last]))
        assert all(letters(line) in stretch for line in chunk.body.text.split("\n"))
        assert file[first - 1].strip()


def test_pieces_of_a_list_stand_on_their_own_items() -> None:
    sections = sections_of("\n".join(f"- item {n} " + "word " * 12 for n in range(8)))
    front = at(sections[0]).first
    assert [(at(section).first - front, at(section).last - front) for section in sections] == [
        (0, 1),
        (2, 3),
        (4, 5),
        (6, 7),
    ]


@pytest.mark.parametrize("above", ["A new paragraph above.\n\n", "\n\n\n"])
def test_lines_that_move_embed_nothing_and_write_the_page_again(above: str) -> None:
    """Chunks below an insert are upserted with new lines: the work depends on the page, not on the site."""
    body = "Opening words of the page. " * 5 + "\n\n## Install {#install}\n\n" + "Run it. " * 40
    before, after = (records_of(page_of(text)) for text in (body, above + body))
    assert [chunk.content_hash for chunk in before][-1] == [passage.content_hash for passage in after][-1]
    assert before[-1].record_hash != after[-1].record_hash
    assert at(after[-1].chunk).first - at(before[-1].chunk).first == above.count("\n")


def test_a_line_more_of_front_matter_moves_every_chunk() -> None:
    page = page_of("Words of a page. " * 40)
    longer = replace(page, facts=replace(page.facts, language="de"))
    assert [at(chunk).first + 1 for chunk in chunk_page(page, SMALL).chunks if chunk.kind == "section"] == [
        at(section).first for section in chunk_page(longer, SMALL).chunks if section.kind == "section"
    ]


def records_of(page: Page) -> list[Record]:
    chunks = [chunk for chunk in chunk_page(page, SMALL).chunks if chunk.kind == "section"]
    return [item.record for item in cut_chunks(page.facts, chunks, Scope("acme", "main"), "m")]
