"""Pages that other converters and search tools got wrong: docs/notes/reports.md, "Sites"."""

import pytest

from searchsocket.content.html.extract import extract_html
from searchsocket.content.pages import RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from tests.content.html.extracting import WEB_SITE, body, extract


def test_a_list_between_items_belongs_to_the_item_before() -> None:
    """Browsers indent it; editors and CMSs write it so."""
    html = "<ul><li>hull</li><li>mast</li><ul><li>boom</li><li>gaff</li></ul></ul>"
    assert body(html) == "- hull\n- mast\n  - boom\n  - gaff"


def test_sections_in_a_list_are_sections() -> None:
    """Javadoc lists the members of a class so; a heading in a list would be no place to open."""
    item = '<li><section id="{0}"><h3>{1}</h3><p>{2}</p></section></li>'
    html = item.format("read()", "read", "One byte.") + item.format("read(byte[],int)", "read", "Many bytes.")
    assert body(f"<ul>{html}</ul>") == (
        "### read {#read()}\n\nOne byte.\n\n### read {#read(byte[],int)}\n\nMany bytes."
    )


def test_a_list_of_pages_stays_a_list() -> None:
    """Their titles are no sections of this page."""
    html = "<ul><li><h3><a href='/hull'>Hull</a></h3><p>Oak.</p></li></ul>"
    assert body(html).startswith("- ### [Hull](/hull)")


def test_a_list_with_other_items_stays_a_list() -> None:
    assert body("<ul><li><h3>Hull</h3><p>Oak.</p></li><li>Mast</li></ul>").startswith("- ")


@pytest.mark.parametrize(
    "icon",
    [
        '<span class="material-symbols-rounded">open_in_new</span>',
        '<i class="material-icons">launch</i>',
        '<i class="icon material-icons-outlined md-18">launch</i>',
    ],
)
def test_the_name_of_an_icon_is_no_text(icon: str) -> None:
    """An icon font draws a picture in place of these words."""
    assert body(f'<h2 id="up">Upload {icon}</h2><p>The <a href="https://x.org">manual{icon}</a>.</p>') == (
        "## Upload {#up}\n\nThe [manual](https://x.org)."
    )


@pytest.mark.parametrize(
    "attributes",
    [
        'class="sr-only"',
        'class="u-sr-only"',
        'class="govuk-visually-hidden"',
        'class="screen-reader-text"',
        'style="position:absolute; clip: rect(0 0 0 0)"',
        'style="clip:rect(1px, 1px, 1px, 1px)"',
    ],
)
def test_text_for_screen_readers_only_is_left_out(attributes: str) -> None:
    assert body(f'<p><a href="https://x.org">Tides<span {attributes}> (opens in a new tab)</span></a></p>') == (
        "[Tides](https://x.org)"
    )


def test_text_shown_again_is_kept() -> None:
    assert body('<p class="not-sr-only">Tides</p><p style="clip: rect(0, 90px, 50px, 0)">Ebb</p>') == "Tides\n\nEbb"


def test_an_image_that_a_script_loads_has_its_address() -> None:
    """Until then its source is empty or a placeholder."""
    image = '<img src="data:image/gif;base64,R0" {}="/keel.png" alt="A keel">'
    for name in ("data-src", "data-original", "data-lazy-src"):
        assert body(image.format(name)) == "![A keel](/keel.png)"


@pytest.mark.parametrize(
    "media",
    [
        '<iframe src="https://video.example/1" title="Splicing a rope"></iframe>',
        '<video controls aria-label="Splicing a rope"><source src="v.mp4">No video here.</video>',
        '<object data="x.pdf" title="Splicing a rope"><p>No viewer.</p></object>',
    ],
)
def test_media_are_their_title(media: str) -> None:
    """A visitor searches for the name of a film; the text for old browsers is not shown."""
    assert body(f"<p>Watch.</p>{media}") == "Watch.\n\n![Splicing a rope]()"


@pytest.mark.parametrize("title", ["", "YouTube video player", "Advertisement", "Embedded content", "reCAPTCHA"])
def test_a_title_of_every_player_is_dropped(title: str) -> None:
    assert body(f'<p>Watch.</p><iframe src="https://video.example/1" title="{title}"></iframe>') == "Watch."


def test_the_long_form_of_an_abbreviation_is_written_once() -> None:
    """Readers see it on hover; its words are searched for."""
    tls = '<abbr title="Transport Layer Security">TLS</abbr>'
    assert body(f"<p>Use {tls}, so {tls}-only.</p>") == "Use TLS (Transport Layer Security), so TLS-only."
    assert body(f"<h2>Ports of {tls}</h2>") == "## Ports of TLS"
    assert body('<p>On <abbr title="July 4">July 4</abbr>.</p>') == "On July 4."


_CARDS = "".join(f"<article><h3><a href='/c{n}'>Story {n}</a></h3><p>Teaser {n}.</p></article>" for n in range(3))


def test_the_article_with_the_title_is_the_content() -> None:
    """The others are cards of related pages."""
    text = "<p>The dredger keeps the channel open for deep ships in every season.</p>" * 3
    page = extract(f"<body><article><h1>Dredging</h1>{text}</article><section>{_CARDS}</section></body>")
    assert page.main == "article"
    assert "Teaser" not in page.body


def test_articles_without_a_title_are_all_content() -> None:
    page = extract(f"<body><div>{_CARDS}</div></body>")
    assert all(f"Teaser {number}." in page.body for number in range(3))


@pytest.mark.parametrize(
    "banner", ['<div role="dialog">', '<div id="onetrust-consent-sdk">', '<div class="cookie-notice">']
)
def test_a_consent_banner_longer_than_the_page_is_dropped(banner: str) -> None:
    cookies = "<p>We and our partners store cookies.</p>" * 6
    page = extract(f"<body>{banner}{cookies}</div><div><h1>Tides</h1><p>High water is at noon.</p></div></body>")
    assert page.body == "# Tides\n\nHigh water is at noon."


@pytest.mark.parametrize(
    "question",
    [
        '<div class="feedback"><p>Was this page helpful?</p><button>Yes</button><button>No</button></div>',
        '<div><span>Did you find this article helpful?</span> <a href="#" role="button">Yes</a> '
        '<a href="#" role="button">No</a></div>',
        "<p>War diese Seite hilfreich? Ja Nein</p>",
    ],
)
def test_the_question_about_the_page_is_dropped(question: str) -> None:
    """It is on every page, and no answer to a search."""
    assert body(f"<h1>Ropes</h1><p>Hemp.</p>{question}") == "# Ropes\n\nHemp."


def test_links_that_share_the_page_are_dropped() -> None:
    """They are on every page; a sentence with such a link is kept."""
    share = "".join(
        f'<a href="{href}">{name}</a> '
        for href, name in (
            ("https://www.facebook.com/sharer/sharer.php?u=x", "Facebook"),
            ("https://twitter.com/intent/tweet?text=x", "Twitter"),
            ("https://x.com/intent/post?url=y", "Share on X"),
            ("mailto:?subject=x", "Email"),
            ("#comments", "Jump to comments"),
        )
    )
    assert body(f"<p>Hemp.</p><div>{share}</div>") == "Hemp."
    text = '<p>Post to <a href="https://reddit.com/submit">Reddit</a>, or see <a href="#comments">Comments</a>.</p>'
    assert body(text) == "Post to [Reddit](https://reddit.com/submit), or see [Comments](#comments)."


def test_a_sentence_about_a_helpful_page_is_kept() -> None:
    text = "Is this page helpful? Only if you sail."
    assert body(f"<p>{text}</p>") == text


@pytest.mark.parametrize("word", ["link", "permalink"])
def test_a_word_that_links_elsewhere_is_kept(word: str) -> None:
    """It is a permalink only beside its own target."""
    assert body(f"<p>See this <a href='/rope#knots'>{word}</a>.</p>") == f"See this [{word}](/rope#knots)."
    assert body(f"<p id='n7'>Text <a href='#n7'>{word}</a></p>") == "Text"


@pytest.mark.parametrize("target", ["", "; url=/b.html", "; url=b.html", "; url=/b"])
def test_a_page_that_reloads_itself_is_no_redirect(target: str) -> None:
    html = f'<head><meta http-equiv="refresh" content="0{target}"></head><main><p>Lake levels</p></main>'
    page = extract_html(
        html.encode(), RawPage("/b", "/b", "b.html", ""), ExtractSettings(), TransformSettings(), site=WEB_SITE
    )
    assert (page.skip, page.body) == ("", "Lake levels")


def test_a_page_laid_out_by_a_table_is_text() -> None:
    """Old manuals have their navigation and their text in the two cells of one row."""
    html = "<table><tr><td><a href='a'>Home</a></td><td><b>Tides</b><p>High at noon.</p></td></tr></table>"
    assert body(html) == "[Home](/docs/a)\n\n**Tides**\n\nHigh at noon."
    assert body("<table><tr><td>3</td><td>berths</td></tr></table>").startswith("|")


def test_a_wiki_page_has_no_edit_links() -> None:
    cite = '<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">[1]</a></sup>'
    edit = '<span class="mw-editsection">[<a href="/edit?s=1">edit</a>]</span>'
    assert body(f'<p>A beam.{cite}</p><h2><span id="Uses">Uses</span>{edit}</h2><p>Steady.</p>') == (
        "A beam.[1]\n\n## Uses {#Uses}\n\nSteady."
    )


_REVEAL = '<script>$RC("B:0","S:0")</script>'


def _streamed(fallback: str, content: str, script: str = _REVEAL) -> str:
    """A page as React 19 writes it: the text of a long boundary follows the page."""
    boundary = f'<!--$?--><template id="B:0"></template>{fallback}<!--/$-->'
    return f"<body><main><h1>Ropes</h1>{boundary}<p>Last.</p></main>{content}{script}</body>"


def test_streamed_text_is_in_its_place() -> None:
    content = '<div hidden id="S:0"><h2 id="hemp">Hemp</h2><p>Strong.</p></div>'
    assert extract(_streamed("<p>Loading</p>", content)).body == "# Ropes\n\n## Hemp {#hemp}\n\nStrong.\n\nLast."


def test_a_boundary_inside_a_fallback_ends_no_other() -> None:
    """Both are siblings, told apart by their comments."""
    fallback = "<!--$--><p>Busy</p><!--/$--><p>Loading</p>"
    page = extract(_streamed(fallback, '<div hidden id="S:0"><p>Strong.</p></div>'))
    assert page.body == "# Ropes\n\nStrong.\n\nLast."


def test_streamed_parts_are_joined() -> None:
    """A boundary may have a part that is late again."""
    content = '<div hidden id="S:0"><p>Hemp <template id="P:1"></template> rots.</p></div>'
    part = '<div hidden id="S:1">of old</div>'
    script = '<script>$RS("S:1","P:1")</script><script>$RC("B:0","S:0")</script>'
    assert "Hemp of old rots." in extract(_streamed("", content + part, script)).body


@pytest.mark.parametrize("script", ['<script>$RC("B:9","S:0")</script>', '<script>$RC("B:0","S:9")</script>', ""])
def test_a_boundary_without_its_text_keeps_the_fallback(script: str) -> None:
    page = extract(_streamed("<p>Loading</p>", '<div hidden id="S:0"><p>Strong.</p></div>', script))
    assert page.body == "# Ropes\n\nLoading\n\nLast."


@pytest.mark.parametrize(
    "cell",
    [
        '<td><svg role="img" aria-label="Supported" width="16"><path d="M0 0"/></svg></td>',
        '<td><svg width="16"><title>Supported</title><path d="M0 0"/></svg></td>',
        '<td aria-label="Supported"><i class="icon-check"></i></td>',
        '<td><i class="fa fa-check" title="Supported"></i></td>',
        '<td><svg aria-hidden="true"><title>check</title></svg><span class="sr-only">Supported</span></td>',
    ],
)
def test_an_icon_alone_in_a_cell_is_its_name(cell: str) -> None:
    """It is all that a table of supported features says."""
    table = f"<table><tr><th>Hull</th><th>Crane</th></tr><tr><td>Oak</td>{cell}</tr></table>"
    assert body(table).splitlines()[-1] == "| Oak | Supported |"


@pytest.mark.parametrize("icon", ['<svg aria-hidden="true" aria-label="x" width="16"></svg>', '<i title=""></i>'])
def test_an_icon_without_a_name_is_no_text(icon: str) -> None:
    table = f"<table><tr><th>Hull</th><th>Crane</th></tr><tr><td>Oak</td><td>{icon}</td></tr></table>"
    assert body(table).splitlines()[-1] == "| Oak |  |"


def test_an_icon_beside_text_is_no_text() -> None:
    table = '<table><tr><td>Oak</td><td><i title="Yes"></i> Lifts</td></tr></table>'
    assert "Yes" not in body(table)


def _xhtml(content: str, dtd: str = "") -> str:
    page = RawPage("/x", "/x.xhtml", "x.xhtml", "")
    start = f'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html{dtd}><html xmlns="http://www.w3.org/1999/xhtml">'
    return extract(f"{start}<head><title>X</title></head><body><main>{content}</main></body></html>", page=page).body


def test_xhtml_is_read_as_xml() -> None:
    """An element may end in its tag, and text may be in CDATA."""
    html = '<h1><a id="top"/>Rules</h1><script src="x.js"/><p>Ropes<i/> are&nbsp;<![CDATA[a < b]]>.</p>'
    html += "<iframe/><p>End.</p>"
    assert _xhtml(html) == "# Rules {#top}\n\nRopes are a < b.\n\nEnd."


def test_entities_of_an_xhtml_page_are_text() -> None:
    assert _xhtml("<p>&prod; turns.</p>", ' [<!ENTITY prod "Capstan">]') == "Capstan turns."


@pytest.mark.parametrize(
    "dtd",
    [
        ' [<!ENTITY prod SYSTEM "file:///etc/hostname">]',
        " [<!ENTITY a0 'haha'>"
        + "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 50}'>" for i in range(1, 9))
        + "<!ENTITY prod '&a8;'>]",
    ],
    ids=["file", "bomb"],
)
def test_entities_of_an_xhtml_page_read_no_file_and_stay_small(dtd: str) -> None:
    text = _xhtml("<p>&prod; turns.</p>", dtd)
    assert "turns." in text
    assert len(text) < 2000


def test_a_broken_xhtml_page_is_read_as_html() -> None:
    assert _xhtml("<p>One<p>Two") == "One\n\nTwo"


def test_a_question_in_an_example_is_kept() -> None:
    """Only a question that the page asks is dropped."""
    assert "Was this page helpful?" in body("<pre><code>a.html  <span># Was this page helpful?</span>\nb</code></pre>")
