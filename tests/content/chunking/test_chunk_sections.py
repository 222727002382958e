"""Headings and small sections that make a chunk, and the summary of a page (spec 9.1)."""

from pages_to_cut import SMALL, page_of, sections_of

from searchsocket.content.chunking import chunk_page
from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.content.markdown.text import is_links_alone
from searchsocket.project.settings.site import ChunkSettings
from searchsocket.types import Chunk, Prose, Section


def test_a_page_without_text_has_no_chunks() -> None:
    for body in ("", "\n \n", "---", "![](a.png)"):
        assert chunk_page(page_of(body), ChunkSettings()).chunks == ()


def test_a_page_without_headings_is_cut_by_paragraphs() -> None:
    paragraphs = [f"Paragraph {n} " + "word " * 25 + "end." for n in range(4)]
    sections = sections_of("\n\n".join(paragraphs), SMALL.model_copy(update={"overlap_chars": 0}))
    assert [chunk.body.text for chunk in sections] == paragraphs
    assert {(chunk.at.heading_path, chunk.at.title, chunk.at.anchor) for chunk in sections} == {((), "", "")}


def test_headings_inside_code_make_no_sections() -> None:
    """Failure 20: tilde and four-backtick fences were not recognised."""
    for mark in ("```", "````", "~~~", "~~~~~~"):
        body = f"# Real\n\n{mark}sh\n# comment\n## other\n{'`' * (len(mark) - 1) if len(mark) > 3 else ''}\n{mark}\n"
        assert {chunk.at.title for chunk in sections_of(body)} == {"Real"}


def test_the_heading_path_is_capped_and_the_section_title_is_not() -> None:
    body = "\n\n".join(f"{'#' * level} H{level} {{#h{level}}}\n\n" + "word " * 40 for level in range(1, 6))
    last = sections_of(body)[-1]
    assert (last.at.heading_path, last.at.title, last.at.anchor) == (("H1", "H2", "H3"), "H5", "h5")


def test_a_heading_without_anchor_opens_at_the_nearest_one_before() -> None:
    body = "## A {#a}\n\n" + "word " * 60 + "\n\n## B\n\n" + "word " * 60
    assert [(chunk.at.title, chunk.at.anchor, chunk.at.piece) for chunk in sections_of(body)] == [
        ("A", "a", 0),
        ("A", "a", 1),
        ("B", "a", 2),
        ("B", "a", 3),
    ]


def test_small_siblings_merge_under_their_parent_and_keep_the_first_anchor() -> None:
    body = "# Top {#top}\n\n" + "word " * 30 + "".join(f"\n\n## S{n} {{#s{n}}}\n\nTiny." for n in range(3))
    merged = sections_of(body)[-1]
    assert merged.body.text.count("Tiny.") == 3
    assert (merged.at.heading_path, merged.at.title, merged.at.anchor) == (("Top",), "S0", "s0")


def test_a_small_parent_takes_in_its_small_child() -> None:
    sections = sections_of("# Top {#top}\n\nIntro.\n\n## Sub {#sub}\n\nTiny.")
    assert [(chunk.at.heading_path, chunk.at.anchor) for chunk in sections] == [(("Top",), "top")]


def test_a_small_section_never_hides_the_name_of_a_large_one() -> None:
    """A result for the large section must not be shown under the heading of the small one."""
    sections = sections_of("## Small {#small}\n\nTiny.\n\n## Large {#large}\n\n" + "word " * 35)
    assert [chunk.at.title for chunk in sections] == ["Small", "Large"]


def test_a_heading_without_text_stands_above_the_section_below_it() -> None:
    sections = sections_of("# API {#api}\n\n## run {#run}\n\n" + "word " * 60)
    assert sections[0].body.text.startswith("# API {#api}\n\n## run {#run}\n\nword")
    assert (sections[0].at.heading_path, sections[0].at.title, sections[0].at.anchor) == (("API", "run"), "run", "api")


def test_a_section_that_only_leads_on_stands_above_the_first_one_below_it() -> None:
    """A result that is a heading and a link is an answer to nothing."""
    lead = "# Hooks {#hooks}\n\nSee the [guide](/guide/hooks).\n\n"
    sections = sections_of(lead + "## created {#created}\n\n" + "word " * 22)
    assert [(chunk.at.title, chunk.at.anchor) for chunk in sections] == [("created", "hooks")]


def test_a_link_or_a_date_at_the_end_is_no_chunk() -> None:
    body = "## A {#a}\n\n" + "word " * 39 + "\n\n*Last modified on [2022-06-15](/log)*"
    assert [chunk.body.text.endswith("(/log)*") for chunk in sections_of(body)] == [True]


def test_a_list_of_pages_of_the_site_is_of_a_kind_of_its_own() -> None:
    """The linked pages contain its text. Pages of other sites are not read, so descriptions of them count."""
    pages = "## API {#api}\n\n- [ref()](/api/ref.html#ref)\n- [\\<Teleport>](#teleport)<br>[watch](/api/watch_(a))"
    others = "- [A guide](https://example.com/guide)"
    assert is_links_alone(pages)
    assert not any(map(is_links_alone, (others, f"{pages}\n- and more", "## API", "", "[a](/b) c")))
    assert [chunk.kind for chunk in sections_of(pages)] == ["links"]


def test_a_merge_never_exceeds_max_chars() -> None:
    """Failure 24: merging a tiny tail pushed a chunk over the limit."""
    body = "# A\n\n" + "word " * 38 + "\n\n## B\n\n" + "word " * 5
    assert all(len(chunk.body.text) <= SMALL.max_chars for chunk in sections_of(body))


def test_a_heading_never_ends_a_chunk() -> None:
    body = "## First {#first}\n\n" + "word " * 30 + "\n\n## Second {#second}\n\n```\n" + "code\n" * 50 + "```"
    assert all(parse_blocks(chunk.body.text)[-1].kind != "heading" for chunk in sections_of(body))


def test_the_summary_holds_title_description_and_headings() -> None:
    page = page_of("# A *page*\n\nText.\n\n## 1. `run_it` {#run}\n\nMore.", "A page", "About [it].")
    summary = chunk_page(page, ChunkSettings()).chunks[0]
    text = "# A page\n\nAbout \\[it\\].\n\n- 1\\. \\`run\\_it\\`".replace("\\`", "")
    assert summary == Chunk(0, "summary", Prose(text), Section((), "", "", 0))
    without = chunk_page(page, ChunkSettings(page_summary=False)).chunks
    assert [(chunk.ordinal, chunk.kind) for chunk in without] == [(0, "section")]


def test_a_page_of_which_the_title_says_all_has_no_summary() -> None:
    """Every section carries the title; a chunk of nothing else comes up for whatever has one of its words."""
    page = page_of("# A page\n\nText.", "A page")
    assert [chunk.kind for chunk in chunk_page(page, ChunkSettings()).chunks] == ["section"]
    chunks = chunk_page(page_of("Text.", "", "About it."), ChunkSettings()).chunks
    assert [(chunk.kind, chunk.body.text) for chunk in chunks] == [("summary", "About it."), ("section", "Text.")]


def test_the_summary_fits_into_max_chars() -> None:
    body = "\n\n".join(f"## Heading {n}\n\nText." for n in range(200))
    for title, description in (("T" * 5000, "D " * 5000), ("*" * 5000, "")):
        summary = chunk_page(page_of(body, title, description), SMALL).chunks[0]
        assert summary.kind == "summary"
        assert len(summary.body.text) <= SMALL.max_chars
