"""The small steps of extraction, by the mistakes that each could make."""

import pytest
from lxml import etree

from searchsocket.content.html.converters import to_markdown
from searchsocket.content.html.decode import decode_html
from searchsocket.content.html.links import LinkResolver
from searchsocket.content.html.tables import Cell, as_markdown, decode_rows, encode_cell, expand
from searchsocket.content.html.text_markdown import tidy
from searchsocket.content.html.tree import clean_text, drop, one_line, parse_html, raw_text, sweep, unwrap
from searchsocket.web.urls.resolve import site_base


def tree(html: str) -> etree._Element:
    root, _ = parse_html(f"<body>{html}</body>")
    assert root is not None
    return root


@pytest.mark.parametrize("html", ["a<b>x</b>c<i>d</i>e", "<b>x</b>c", "<i>d</i><b>x</b>c", "a<b>x<u>y</u>z</b>c"])
def test_removing_an_element_keeps_the_text_around_it(html: str) -> None:
    """lxml hangs the text behind an element onto the element."""
    tree_with_removal, opened = tree(html), tree(html)
    drop(next(tree_with_removal.iter("b")))
    sweep(tree_with_removal)
    unwrap(next(opened.iter("b")))
    assert raw_text(opened) == raw_text(tree(html))
    assert raw_text(tree_with_removal) == raw_text(tree(html)).replace("xyz", "").replace("x", "")
    assert next(opened.iter("b"), None) is None


@pytest.mark.parametrize("value", ["", "=v", '=">"', "='<p>'"])
def test_a_tag_with_thousands_of_attributes_keeps_the_first(value: str) -> None:
    """Each is compared with all before it: 60,000 of them held the parser for 14 s."""
    many = " ".join(f"a{number}{value}" for number in range(20_000))
    root = tree(f"<p id=one>x</p><p id=many {many}>y</p><p>z</p>")
    assert [(len(p.attrib), p.text) for p in root.iter("p")] == [(1, "x"), (1000, "y"), (0, "z")]


def test_long_values_scripts_and_comments_stay_whole() -> None:
    """A picture written into its tag is one attribute; what is in a script is no tag."""
    data = "data:image/png;base64," + "iVBO/Rw=" * 250_000
    script = "if (a <b) { " + "x y " * 20_000 + "}"
    root = tree(f"<!-- <p {script}> --><img src='{data}' alt=boat><script>{script}</script><p>z</p>")
    image, code, text = root.iter("img", "script", "p")
    assert (image.get("src"), image.get("alt"), code.text, text.text) == (data, "boat", script, "z")


def test_text_loses_what_nobody_sees() -> None:
    """Soft hyphens and zero-width spaces cut words in two for a search; joiners are part of scripts."""
    assert clean_text("a\u00adb\u200bc\u00a0d\r\ne\u2028f\x01") == "abc d\ne\nf"
    assert clean_text("می\u200cخواهم 👩\u200d💻") == "می\u200cخواهم 👩\u200d💻"
    assert one_line(" a\n\tb ", 2) == "a"


def test_tidy_leaves_code_alone() -> None:
    """Blank lines and longer fences inside code are the code's."""
    text = "a  \n\n\n\n````md\n\n\n```\nx\n```\n\n\n````\n\n\n\nb"
    assert tidy(text) == "a\n\n````md\n\n\n```\nx\n```\n\n\n````\n\nb"
    assert tidy("- ```\n\n\n  x\n  ```\n\n\ny") == "- ```\n\n\n  x\n  ```\n\ny"


def test_merged_cells_become_a_rectangle() -> None:
    """A cell over rows is repeated, so that each row can be read alone; over columns, blanks follow."""
    rows = [
        [Cell("h1", 1, 1, True), Cell("h2", 2, 1, True)],
        [Cell("a", 1, 3, False), Cell("b", 1, 1, False), Cell("c", 1, 2, False)],
        [Cell("d", 1, 1, False)],
        [Cell("e", 5, 1, False)],
    ]
    assert expand(rows) == [
        ["h1", "h2", "", "", "", ""],
        ["a", "b", "c", "", "", ""],
        ["a", "d", "c", "", "", ""],
        ["a", "e", "", "", "", ""],
    ]
    assert as_markdown(rows).splitlines()[:3] == ["| h1 | h2 |  |", "| --- | --- | --- |", "| a | b | c |"]


def test_spans_outside_reason_are_one() -> None:
    """Negative, huge or no numbers."""
    spans = [
        decode_rows(encode_cell("x", span, "1", header=False) + "\x1f")[0][0].colspan for span in ("-1", "0", "²", "")
    ]
    assert spans == [1, 1, 1, 1]


def test_links_that_must_not_be_followed_have_no_destination() -> None:
    """Nothing that runs, no broken addresses, no whole programs."""
    links = LinkResolver("/docs/a")
    for href in ("javascript:alert(1)", " JaVaScRiPt:x", "data:text/html,x", "vbscript:x", "#", "http://[", "x" * 5000):
        assert links.destination(href) == ""
    assert links.external("https://a.b/(c) d") == "https://a.b/%28c%29%20d"
    assert links.external("ftp://a.b") == ""


def test_a_rooted_link_leads_to_the_same_place_from_every_page() -> None:
    """The answer is shared between pages; what only looks rooted is not."""
    for served in ("/", "/docs/a", "/x/y/"):
        assert LinkResolver(served).path("/a/../b?q#f") == "/b"
        assert LinkResolver(served).path("/\t/other.org") is None
    under = site_base(path="/base")
    assert LinkResolver("/docs/a", site=under).path("/base/x") == "/x"
    assert LinkResolver("/docs/a", site=under).path("/x") is None
    assert [LinkResolver(served).path("//?x") for served in ("/a", "/b")] == [None, None]


def test_a_bad_base_is_ignored() -> None:
    """The page's own address is used instead."""
    for base in ("http://[", "https://other.org/x/", "x" * 100_000):
        assert LinkResolver("/docs/a", base_href=base).path("b") == "/docs/b"


def test_content_without_a_body_tag_is_found() -> None:
    """`main` is no tag that the parser knows, so it would be left in the head."""
    for html in (
        "<meta charset=utf-8><main>x</main>y",
        "<title>t</title>loose<main>x</main>",
        "<base href=/><article>x</article>",
    ):
        root, _ = parse_html(html)
        assert root is not None
        assert "x" in raw_text(next(root.iter("body")))


def test_decoding_never_fails() -> None:
    """Labels that are no charsets, and charsets that are none of a page."""
    for label in (
        "",
        " ",
        "rot13",
        "hex",
        "base64",
        "zlib",
        "idna",
        "utf-7",
        "undefined",
        "utf-16",
        "\ud800",
        "a" * 999,
        "a\0b",
    ):
        assert "x" in decode_html(b"x \xff\xfe y", label)[0]


def converted(html: str) -> str:
    return to_markdown(next(tree(f"<div>{html}</div>").iter("div")))


@pytest.mark.parametrize("tag", ["soup", "list", "hN", "text", "h7"])
def test_an_element_that_nobody_knows_is_its_content(tag: str) -> None:
    """A page may invent names, also those that a converter would look up."""
    assert converted(f"a <{tag}>b <i>c</i></{tag}> d") == "a b *c* d"


def test_text_meets_its_neighbours_as_a_browser_sets_it() -> None:
    """Blanks at the edges of blocks mean nothing, between words they do, in code they all do."""
    assert converted(" a<b> b</b> <i>c </i>d\n") == "a **b** *c* d"
    assert converted("a <p> b </p> c<br> d") == "a\n\nb\n\nc\nd"
    assert converted("<pre> a\n\n\n  b </pre>") == "```\n a\n\n\n  b\n```"
    assert converted("a\u00adb\u00a0c<b>\u200b</b>&#12;d&#13;e") == "ab cd e"


def test_only_what_markdown_would_misread_is_escaped() -> None:
    """Escapes are noise to a reader of the mirror, and to a search for the exact words."""
    assert converted("a * b *c* _d_ e_f 1 < 2 <b>&lt;b></b> [x](y) R&amp;D &amp;amp;") == (
        "a * b \\*c\\* \\_d\\_ e_f 1 < 2 **\\<b>** [x]\\(y) R&D \\&amp;"
    )
    for line in ("# a", "- a", "+ a", "> a", "12. a", "1) a", "| a", ": a", "==="):
        marked = line.replace(".", "\\.").replace(")", "\\)") if line[0].isdigit() else "\\" + line
        assert converted(f"<p>{line}</p>") == marked
        assert converted(f"<p>a {line}</p>") == f"a {line}"


def test_addresses_are_written_in_ascii() -> None:
    """As browsers send them; what a link must not hold is escaped before."""
    assert converted("<a href='/\u00e9?q=a%20b#\u65e5'>x</a>") == "[x](/%C3%A9?q=a%20b#%E6%97%A5)"
