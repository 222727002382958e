"""Hostile HTML is a page like any other (spec 8.3)."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchsocket.content.markdown.blocks import parse_blocks
from tests.content.html.extracting import PAGE, extract


@pytest.mark.parametrize("depth", [100, 1000, 10_000, 50_000])
@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td", "span", "a href=x"])
def test_deep_nesting_keeps_the_text(tag: str, depth: int) -> None:
    """Neither the parser's limit nor Python's stack may lose a page."""
    page = extract(f"<h1>Before</h1><main>{f'<{tag}>' * depth}deep text<script>evil()</script>")
    assert "deep text" in page.body
    assert "evil" not in page.body


def test_a_long_line_is_no_problem() -> None:
    """Ten megabytes without a line end."""
    page = extract("<main><p>" + "word " * 2_000_000 + "</p></main>")
    assert len(page.body) == 9_999_999


def test_very_many_elements_become_text() -> None:
    """Memory and time stay in proportion; the loss is reported."""
    page = extract("<main>" + "<i>x</i> y<br>" * 100_000 + "</main>")
    assert page.body.count("x") == 100_000
    assert any("elements" in warning for warning in page.warnings)


def test_a_table_cannot_grow_without_bound() -> None:
    """A thousand cells that each span a thousand columns and rows."""
    page = extract(
        "<main><table>" + "<tr><td colspan=1000 rowspan=1000>x</td><td>y</td></tr>" * 500 + "</table></main>"
    )
    assert len(page.body) < 1_000_000


def test_many_open_attributes_and_entities_end() -> None:
    """Inputs that make backtracking parsers hang."""
    for piece in ("<a b='", "&", "<!--", "<svg>", "<![CDATA[", "</", "<p ", "`", "*", "[", "\\", "<table>", "<select>"):
        assert isinstance(extract("<main>text " + piece * 20_000).body, str)


TAGS = [
    "a",
    "b",
    "br",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "hr",
    "img",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "script",
    "span",
    "style",
    "svg",
    "table",
    "td",
    "th",
    "tr",
    "ul",
    "x-y",
]
tag_soup = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
        st.sampled_from(
            ['<a href="/x#y">', "<img alt='a b' src=c>", "<td colspan=3>", "<h2 id='q'>", "<p hidden>", "&nbsp;"]
        ),
        st.text(alphabet="ab \n*_`#[]<>&|-1.{}\\~\u200b\xa0é", max_size=8),
    ),
    max_size=40,
).map("".join)


@settings(deadline=None, max_examples=300)
@given(tag_soup)
def test_tag_soup_never_breaks_it(html: str) -> None:
    """No exception, the same answer twice, and a body that reads as Markdown."""
    page = extract(f"<main>{html}")
    assert page == extract(f"<main>{html}")
    assert "\x1d" not in page.body
    assert (page.skip == "empty") == (page.body == "") or page.skip == "redirect"
    parse_blocks(page.body)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "utf-16", "x-nonsense", "iso-2022-jp", "idna", "hz"]))
def test_any_bytes_are_a_page(data: bytes, charset: str) -> None:
    """Whatever a server sends."""
    page = extract(data, charset=charset)
    page.body.encode()
    assert "\n" not in page.title


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="abc *_`#[]()<>&|-+1.{}\\~=:!\"'\n", max_size=40).filter(str.strip))
def test_text_stays_text(text: str) -> None:
    """Prose full of Markdown signs is still one paragraph, and its words survive."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    page = extract(f"<main><p>start</p><p>{escaped}</p></main>")
    assert [block.kind for block in parse_blocks(page.body)] in (["paragraph", "paragraph"], ["paragraph"])


def test_the_address_does_not_leak_into_the_text() -> None:
    """The same bytes under another URL differ in title and links only."""
    one = extract("<main><p>Text <a href='x'>link</a></p></main>")
    other = extract("<main><p>Text <a href='x'>link</a></p></main>", page=replace(PAGE, url="/a", served_url="/a"))
    assert one.body.replace("/docs/x", "/x") == other.body
