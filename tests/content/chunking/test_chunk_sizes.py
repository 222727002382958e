"""Cuts of long sections, and the text that the next piece repeats (spec 9.1, steps 3 and 4)."""

import itertools

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st
from pages_to_cut import SLACK, SMALL, page_of, sections_of, solid

from searchsocket.content.chunking import chunk_page
from searchsocket.content.chunking.atoms import (
    cut_code,
    cut_quote,
    cut_table,
    safe_cut,
    slices,
    split_prose,
    split_sentences,
)
from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.project.settings.site import ChunkSettings


def test_a_code_block_within_the_hard_limit_stays_whole() -> None:
    code = "```js\n" + "line of code\n" * 25 + "```"
    sections = sections_of("## A\n\nIntro.\n\n" + code + "\n\nOutro.")
    assert sum(code in chunk.body.text for chunk in sections) == 1


def test_a_code_block_beyond_the_hard_limit_is_cut_at_line_ends_and_reported() -> None:
    code = "~~~js title\n" + "".join(f"line {n} of the code\n" for n in range(60)) + "~~~"
    chunked = chunk_page(page_of("## A\n\n" + code), SMALL)
    pieces = [chunk.body.text for chunk in chunked.chunks if chunk.kind == "section"]
    assert len(pieces) > 2
    assert all("~~~js title\nline" in piece and piece.endswith("\n~~~") for piece in pieces)
    assert all(len(piece) <= SMALL.hard_max_chars for piece in pieces)
    assert chunked.warnings == (
        "a code block is longer than 400 characters (chunking.hard_max_chars) and was split: "
        f"{len(code):,} characters, {len(pieces)} pieces",
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
    sections = sections_of(" ".join(sentence.format(n) for n in range(40)))
    assert all(len(chunk.body.text) <= SMALL.max_chars and chunk.body.text.endswith("fine.") for chunk in sections)
    assert all(chunk.body.text.startswith("This") for chunk in sections)
    endless = sections_of("word " * 500)
    assert all(
        len(chunk.body.text) <= SMALL.max_chars and set(chunk.body.text.split()) == {"word"} for chunk in endless
    )


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
    sections = sections_of(sentences_of_five)
    for before, after in itertools.pairwise(sections):
        overlap = after.body.text[: len("Sentence number 10 is here.")].rstrip()
        assert before.body.text.rstrip().endswith(overlap)
        assert len(after.body.text) <= SMALL.max_chars


def test_overlap_never_starts_inside_code_table_or_quote() -> None:
    """Failure 21: overlap began in the middle of a fence."""
    for block in ("```\ncode\n```", "| a | b |\n| - | - |\n| c. | d. |", "> Quoted. Words."):
        body = "Filler. " * 18 + "\n\n" + block + "\n\n" + "Words. " * 27
        sections = sections_of(body)
        assert sum(block in chunk.body.text for chunk in sections) == 1
        assert sum(block.split("\n")[0] in chunk.body.text for chunk in sections) == 1


@pytest.mark.parametrize("overlap", [0, 1, 199])
def test_overlap_neither_stops_progress_nor_grows_chunks(overlap: int) -> None:
    """Failure 23: an overlap as large as the limit made every chunk grow past it."""
    settings = SMALL.model_copy(update={"overlap_chars": overlap})
    sections = sections_of(" ".join(f"S{n}." for n in range(500)), settings)
    assert all(len(chunk.body.text) <= SMALL.max_chars for chunk in sections)
    assert len(sections) < 500


def test_a_long_list_is_split_between_items_and_a_long_item_between_its_blocks() -> None:
    items = [f"- item {n} " + "word " * 12 for n in range(8)]
    assert all(chunk.body.text.startswith("- item") for chunk in sections_of("\n".join(items)))
    code = "```js\n" + "code();\n" * 20 + "```"
    nested = "- first " + "word " * 30 + "\n\n" + "\n".join("  " + line for line in code.split("\n")) + "\n- second"
    assert sum(code in chunk.body.text for chunk in sections_of(nested)) == 1


def test_a_few_words_stay_with_the_large_block_that_they_lead_up_to() -> None:
    code = "```css\n" + "a { color: red }\n" * 15 + "```"
    assert sections_of(f"**app.css**\n\n{code}")[0].body.text == f"**app.css**\n\n{code}"


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
    assert all(len(chunk.body.text) <= ChunkSettings().hard_max_chars + SLACK for chunk in chunked.chunks)
