"""Extraction of one HTML page (spec 8.3). A new case is a new file in tests/golden/html."""

from dataclasses import asdict
from pathlib import Path

import pytest

from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.content.pages import ExtractedPage
from searchsocket.errors import ConfigError
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from tests.conftest import GoldenCheck
from tests.content.html.extracting import extract

CASES = sorted((Path(__file__).parents[2] / "golden" / "html").glob("*.html"))
each_case = pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)


def as_text(page: ExtractedPage) -> str:
    """A page as a reviewer reads it: its fields, then its Markdown."""
    default = asdict(ExtractedPage(title="", body=""))
    fields = {key: value for key, value in asdict(page).items() if value != default[key]}
    fields.pop("body", None)
    links = [f"  {link['target']} {link['text']!r}" for link in fields.pop("links", ())]
    lines = [f"{key}: {value}" for key, value in fields.items()] + (["links:", *links] if links else [])
    return "\n".join([*lines, "---", page.body])


@each_case
def test_extraction_matches_the_golden_file(case: Path, golden: GoldenCheck) -> None:
    """One trait a file; the diff of the Markdown is the review."""
    golden(case.with_suffix(".txt"), as_text(extract(case.read_bytes())))


@each_case
def test_the_body_is_tidy(case: Path) -> None:
    """No spaces at line ends, no double blank lines, nothing around the whole (spec 8.4)."""
    outside = "\n\n".join(block.text for block in parse_blocks(extract(case.read_bytes()).body) if block.kind != "code")
    assert "\n\n\n" not in outside
    assert all(line == line.rstrip() for line in outside.split("\n"))
    text = extract(case.read_bytes()).body
    assert text == text.strip("\n")


@each_case
def test_line_ends_of_the_file_do_not_matter(case: Path) -> None:
    """A checkout on Windows gives the same mirror."""
    data = case.read_bytes()
    assert extract(data.replace(b"\n", b"\r\n")) == extract(data)


def test_hidden_text_is_nowhere() -> None:
    """Not in the body, the title or a link text."""
    page = extract((CASES[0].parent / "hidden.html").read_bytes())
    assert "hidden" not in as_text(page)
    assert "tail stays" in page.body


# Settings ---------------------------------------------------------------------------------------------------------


def test_the_configured_main_is_taken_first() -> None:
    """`extract.main_selector` may be any CSS selector; several matches are taken together."""
    html = "<main>no</main><div id=bd><p class=x>one</p><div><p class=x>two</p></div></div>"
    page = extract(html, ExtractSettings(main_selector="#bd p.x"))
    assert (page.body, page.main) == ("one\n\ntwo", "#bd p.x")


def test_a_main_selector_without_match_falls_back_and_says_so() -> None:
    """The report names what was used instead."""
    assert extract("<main>yes</main>", ExtractSettings(main_selector=".docs")).main == "main"


def test_dropped_tags_and_selectors_are_the_configured_ones() -> None:
    """Each of the five extraction settings has an effect."""
    html = "<main><footer>f</footer><p class='a b'>c</p><p data-x=1>d</p><h2>e</h2><p data-ad>g</p></main>"
    assert extract(html, ExtractSettings(drop_tags=())).body == "f\n\nc\n\nd\n\n## e\n\ng"
    settings_ = ExtractSettings(drop_tags=("h2", "footer"), drop_selectors=(".a", "p[data-x]"), ignore_attr="data-ad")
    assert extract(html + "<p>", settings_).skip == "empty"


def test_noindex_settings_have_an_effect() -> None:
    """Authors may rename the attribute, or index what robots must not."""
    robots = "<meta name=robots content=noindex><main>x</main>"
    assert extract(robots).skip == "noindex"
    assert extract(robots, ExtractSettings(respect_robots_noindex=False)).body == "x"
    assert extract("<main no-search>x</main>", ExtractSettings(noindex_attr="no-search")).skip == "noindex"
    assert extract("<main data-search-noindex>x</main>", ExtractSettings(noindex_attr="")).body == "x"


def test_transform_settings_have_an_effect() -> None:
    """Code blocks and tables can be turned into plain text."""
    html = "<main><pre>a\nb</pre><table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table></main>"
    assert extract(html).body == "```\na\nb\n```\n\n| k | v |\n| --- | --- |\n| 1 | 2 |"
    assert extract(html, transforming=TransformSettings(preserve_code_blocks=False)).body.startswith("a b\n\n|")
    assert extract(html, transforming=TransformSettings(preserve_tables=False)).body.endswith("```\n\nk, v\n1, 2")


@pytest.mark.parametrize("selector", ["", "a[", "::before", "p:nope(", "a >"])
def test_a_selector_that_is_no_css_is_a_configuration_error(selector: str) -> None:
    """Not a page's fault, and not silently ignored."""
    with pytest.raises(ConfigError, match="extract"):
        extract("<main>x</main>", ExtractSettings(main_selector=selector))
    with pytest.raises(ConfigError, match="extract"):
        extract("<main>x</main>", ExtractSettings(drop_selectors=(selector,)))


# Skips ------------------------------------------------------------------------------------------------------------


def test_no_content_is_a_warning_and_noindex_is_not() -> None:
    """A selector that no longer matches must not look like an author's wish (original, failure 5)."""
    assert extract("<main><nav>x</nav></main>").warnings != ()
    assert extract("<main data-search-noindex>x</main>").warnings == ()


def test_a_page_that_redirects_to_itself_is_a_page() -> None:
    """It only reloads."""
    html = "<meta http-equiv=refresh content='0;url=/docs/getting-started/'><main>Loading</main>"
    assert extract(html).skip == ""


@pytest.mark.parametrize(
    "content", ["0;url=/new", "0; URL=/new", "0 ; url = '/new'", '0;url="/new"', "0,/new", "0;/new"]
)
def test_refresh_is_read_in_every_form(content: str) -> None:
    """Generators spell it in many ways."""
    quote = "'" if '"' in content else '"'
    page = extract(f"<meta http-equiv=REFRESH content={quote}{content}{quote}>")
    assert (page.skip, page.redirect_to) == ("redirect", "/new")


@pytest.mark.parametrize(
    ("html", "skip"),
    [
        ("<main>Text</main><noscript><meta http-equiv=refresh content='0;url=/no'></noscript>", ""),
        ("<noscript><meta http-equiv=refresh content='0;url=/no'></noscript><main>Text</main>", ""),
        ("<script>window.location.replace('/new' + window.location.hash)</script>Moved.", "redirect"),
        ('<script>location.href = "/new" + location.search + location.hash;</script>', "redirect"),
        ("<script>location.replace('/new' + page())</script>Text", ""),
    ],
)
def test_only_what_readers_with_scripts_see_is_a_redirect(html: str, skip: str) -> None:
    """A refresh in `noscript` is for others; a stub may keep the fragment of its address."""
    page = extract(html)
    assert (page.skip, page.redirect_to) == (skip, "/new" if skip else "")


@pytest.mark.parametrize(
    ("rule", "skip"),
    [
        ("unavailable_after: 2020-01-01", "noindex"), ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT", "noindex"),
        ("unavailable_after: 2999-01-01", ""), ("unavailable_after: soon", ""), ("NOINDEX,follow", "noindex"),
    ],
)  # fmt: skip
def test_a_page_that_is_no_longer_available_is_skipped(rule: str, skip: str) -> None:
    assert extract(f"<meta name=robots content='{rule}'><main>x</main>").skip == skip


def test_a_list_of_other_pages_is_skipped() -> None:
    """Docusaurus never shows its lists of tags and posts in a search; the pages on them are found themselves."""
    tag = "<meta name='docusaurus_tag' content='{}'><main>4 posts tagged with boats</main>"
    assert extract(tag.format("blog_tags_posts")).skip == "list"
    assert extract(tag.format("docs-default-current")).skip == ""


@pytest.mark.parametrize("value", ["nan", "-1", "inf", "1e999", "many", "1" * 5000])
def test_a_bad_weight_is_reported_and_ignored(value: str) -> None:
    """NaN once broke the order of all results (original, failure 72)."""
    page = extract(f"<meta name=searchsocket-weight content='{value}'><main>x</main>")
    assert page.weight == 1.0
    assert "searchsocket-weight" in page.warnings[0]


# Titles -----------------------------------------------------------------------------------------------------------


SITE = "<meta property=og:site_name content=Acme>"
OG = "<meta property=og:title content=Acme>"


@pytest.mark.parametrize(
    ("head", "content", "title"),
    [
        ("<title>Install | Acme</title>", "<h1>Install</h1>", "Install"),
        ("<title>Install - The Acme Book</title>", "<h2>Install</h2>", "Install"),
        ("<title>Install | Acme</title>", "<p>x</p>", "Install | Acme"),
            ("<title>日本語 — é</title>", "<p>x</p>", "日本語 — é"),
            (f"<title>Install | Acme</title>{SITE}", "<p>x</p>", "Install"),
            ("<title>Acme | Install | Linux</title>", "<a href='/'>ACME</a>", "Install | Linux"),
            ("<title>Install | Acme</title>", "<a href='/about'>Acme</a>", "Install | Acme"),
            ("<title>Install | Acme</title>", "<a href='../'><b>Acme</b></a>", "Install"),
        ("<title>Self-hosting - a guide</title>", "<p>x</p>", "Self-hosting - a guide"),
        (f"<title>Acme: Install</title>{SITE}", "<h1>Getting started</h1>", "Getting started"),
        ("<meta property=og:title content=Better><title>Getting started</title>", "<h1>Title</h1>", "Better"),
        (f"{OG}<title>Getting started - Acme</title>", "<h1>Getting started</h1>", "Getting started"),
        (f"{OG}<title>Acme</title>", "<h2>Getting started</h2>", "Getting started"),
        (f"{OG}<title>Parts of Acme | Acme</title>", "<h1>Parts of Acme</h1>", "Parts of Acme"),
        ("<title>SELECT</title>", "<h1>1. Overview</h1><h1>2. More</h1>", "SELECT"),
        ("<title>CREATE INDEX</title>", "<h1>1. Syntax</h1>", "CREATE INDEX"),
        ("<title>Limits | Acme</title>", "<a href='/'>Acme</a><h1>4.2 Upper bounds</h1>", "Limits"),
        ("<title>Acme</title>", "<a href='/'>Acme</a><h1>1. Syntax</h1>", "1. Syntax"),
        ("<title>4.2. Limits</title>", "<h1>4.2 Upper bounds</h1>", "4.2 Upper bounds"),
        (f"<title>{'On and on ' * 9}</title>", "<h1>1. Syntax</h1>", "1. Syntax"),
        ("<title>Ways</title>", "<h1>3 ways to say it</h1>", "3 ways to say it"),
        ("", "<h1>A\n&#10; b&#8203;</h1>", "A b"),
        ("", "<p>x</p>", "getting started"),
        ("<title>  </title>", "<h3>Only heading</h3>", "Only heading"),
    ],
)  # fmt: skip
def test_the_title_is_the_pages_own(head: str, content: str, title: str) -> None:
    """Not the site's, and without its suffix."""
    assert extract(f"<head>{head}</head><main>{content}x</main>").title == title


# Encodings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("<main>é한</main>".encode(), ""),
        ("<meta charset=iso-8859-1><main>é한</main>".encode(), ""),  # a lie: it is UTF-8
        ("<meta charset=euc-kr><main>é한</main>".encode("euc-kr", "xmlcharrefreplace"), ""),
        ("<main>é한</main>".encode("utf-16"), ""),
        ("<main>é한</main>".encode("utf-16-le"), ""),
        (b"\xef\xbb\xbf" + "<main>é한</main>".encode(), "iso-8859-1"),
        ("<main>é&#54620;</main>".encode("iso-8859-1"), "iso-8859-1"),
        ("<main>é&#54620;</main>".encode("cp1252"), ""),
        ("<main>é&#54620;</main>".encode("cp1252"), "utf-8"),
        ("<?xml version='1.0' encoding='utf-16'?><html><meta charset='nonsense'><main>é한</main>".encode(), ""),
        ("<meta charset=iso-2022-jp><main>é한</main>".encode("iso-2022-kr", "xmlcharrefreplace"), "iso-2022-kr"),
    ],
)
def test_the_text_survives_its_encoding(data: bytes, charset: str) -> None:
    """108 pages of one real site are EUC-KR, and many pages lie."""
    assert extract(data, charset=charset).body == "é한"


def test_damaged_bytes_are_reported() -> None:
    """A truncated page keeps what can be read."""
    page = extract("<main>한국어 문서</main>".encode()[:-9])
    assert page.body.startswith("한국어")
    assert "not valid utf-8" in page.warnings[0]
