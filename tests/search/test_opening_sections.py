"""A result opens at the section of its passage, also where a chunk holds several small ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_site import MAIN, Piece, make_site, record_of

from searchsocket.content.markdown.chunk_text import chunk_text, fold
from searchsocket.content.markdown.lines import plain_text
from searchsocket.search.answer import Result
from searchsocket.search.query import SearchQuery
from searchsocket.testing.store.samples import make_record

DOORS = """## Front door {#front-door}

It opens with a brass key.

## Garden gate {#garden-gate}

It has a latch, and a bell for visitors.

### Cellar *hatch* {#hatch}

Lift the iron ring; a ladder leads down.

```sh
## Not a heading {#not-a-heading}
pull --rope
```
"""
LINES = st.lists(
    st.sampled_from(["# A {#a}", "## B {#b}", "## C", "C", "===", "", " ", "a b", "- a", "| a |\n| - |", "```", "> A"]),
    max_size=30,
)


def best(root: Path, text: str, q: str, section: str = "Front door", **options: object) -> Result:
    site = make_site(root, [Piece("/doors", text, title="Ways in", section=section)])
    return site.engine.search(SearchQuery(q, **options), MAIN).results[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("q", "anchor", "title"),
    [
        ("brass key", "front-door", "Front door"),
        ("bell for visitors", "garden-gate", "Garden gate"),
        ("garden gate", "garden-gate", "Garden gate"),
        ("cellar ladder", "hatch", "Cellar hatch"),
        ("pull --rope", "hatch", "Cellar hatch"),
        ("ways", "front-door", "Front door"),  # no word of it stands in the chunk
    ],
)
@pytest.mark.parametrize("group_by", ["page", "chunk"])
def test_each_query_opens_at_its_own_section(tmp_path: Path, q: str, anchor: str, title: str, group_by: str) -> None:
    answer = best(tmp_path, DOORS, q, group_by=group_by)
    assert (answer.anchor, answer.section_title, answer.href) == (anchor, title, f"/doors#{anchor}")
    assert answer.ref == "/doors#front-door~0"  # what fetches the chunk stays
    for section in answer.sections:
        assert (section.anchor, section.title, section.href) == (anchor, title, f"/doors#{anchor}")
        assert section.ref == answer.ref


@pytest.mark.parametrize("group_by", ["page", "chunk"])
@pytest.mark.parametrize(
    ("q", "anchor", "passage"),
    [("usage", "usage", "Turn it"), ("options", "options", "None yet"), ("Setup", "setup", "Usage is told")],
)
def test_a_small_section_is_found_under_its_own_name(
    tmp_path: Path, q: str, anchor: str, passage: str, group_by: str
) -> None:
    """Also where its neighbour says the word more often; the passage is of that section."""
    text = (
        "Usage is told below: usage, options and options of usage.\n\n## Usage {#usage}\n\nTurn it on.\n\n"
        "## Options {#options}\n\nNone yet.\n\n## More {#more}\n\nUsage, options, setup: see usage of options."
    )
    pieces = [Piece("/kit", text, title="Kit", section="Setup"), Piece("/else", "Nothing of that here.")]
    site = make_site(tmp_path, pieces)
    result = site.engine.search(SearchQuery(q, group_by=group_by), MAIN).results[0]  # type: ignore[arg-type]
    assert (result.url, result.anchor, result.section_title.lower()) == ("/kit", anchor, q.lower())
    assert passage in result.snippet


def test_the_title_of_the_first_section_counts(tmp_path: Path) -> None:
    """The text does not repeat it."""
    assert best(tmp_path, DOORS, "front door visitors").anchor == "front-door"


def test_a_heading_inside_a_fence_is_code(tmp_path: Path) -> None:
    text = "## Setup {#setup}\n\nWrite this:\n\n~~~md\n## Usage {#usage}\n\nTurn the crank.\n~~~\n"
    answer = best(tmp_path, text, "turn the crank", section="Setup")
    assert (answer.anchor, answer.section_title) == ("setup", "Setup")


def test_a_heading_without_an_anchor_opens_at_the_one_before(tmp_path: Path) -> None:
    """A title that the page does not open at would mislead, so both stay those of the last heading with an anchor."""
    text = "## One {#one}\n\nFirst.\n\n## Two {#two}\n\nSecond.\n\n## Three\n\nAn otter swims.\n"
    answer = best(tmp_path, text, "otter swims", section="One")
    assert (answer.anchor, answer.section_title) == ("two", "Two")


def test_a_long_chunk_opens_where_its_passage_stands(tmp_path: Path) -> None:
    """Sections outside the shown passage do not count, however often they say the word."""
    filler = "Nothing of note happens here. " * 20
    text = f"## One {{#one}}\n\nAn otter.\n\n{filler}\n\n## Two {{#two}}\n\n{filler}\n\nThe otter swims upstream.\n"
    answer = best(tmp_path, text, "otter upstream", section="One")
    assert (answer.anchor, "upstream" in answer.snippet) == ("two", True)


def test_a_summary_opens_at_the_top_of_its_page() -> None:
    """Its headings are those of the whole page: none of them is its own."""
    record = record_of(Piece("/doors", DOORS, title="Ways in", kind="summary"))
    text = chunk_text(record.page, record.chunk)
    assert ("Garden gate" in text.text, text.openings) == (True, ())


@given(LINES)
def test_openings_stand_where_their_headings_stand(lines: list[str]) -> None:
    """The text is that of the whole Markdown, and each opening is the place of a line with its title."""
    record = make_record("x", "\n".join(lines), title="")
    text = chunk_text(record.page, record.chunk)
    assert fold(text.text) == fold(plain_text(record.chunk.body.text))
    assert len(text.kinds) == len(text.starts)
    assert [o.start for o in text.openings] == sorted({o.start for o in text.openings})
    for opening in text.openings:
        assert text.text[opening.start :].split("\n")[0] == opening.title
        assert text.text[opening.start - 1] == "\n"


@given(LINES)
def test_a_dropped_title_moves_the_openings(lines: list[str]) -> None:
    record = make_record("x", "\n".join(lines), title="B", section_title="A")
    text = chunk_text(record.page, record.chunk)
    for opening in text.openings:
        at_start = opening.start == 0
        assert at_start or text.text[opening.start :].split("\n")[0] == opening.title


@pytest.mark.parametrize(
    ("q", "anchor"),
    [
        ("garden gate", "garden-gate"),
        ("cellar", "hatch"),
        ("ways in", ""),  # the page itself
        ("garden cellar", ""),  # no section has both words
    ],
)
def test_a_summary_that_matches_one_heading_opens_there(tmp_path: Path, q: str, anchor: str) -> None:
    """The summary of a page has all of its headings, so it is often the best match for one."""
    summary = Piece("/doors", "- Front door\n- Garden gate\n- Cellar hatch", title="Ways in", kind="summary")
    site = make_site(tmp_path, [summary, Piece("/doors", DOORS, title="Ways in", section="Front door", ordinal=1)])
    (result,) = site.engine.search(SearchQuery(q), MAIN).results
    assert result.anchor == anchor
