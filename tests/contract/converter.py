"""Contract of converters: the Markdown of the walk, byte by byte."""

import random
from pathlib import Path

import pytest

from searchsocket.content.html.converters import FAST, Converter
from searchsocket.content.html.extract import extract_html
from searchsocket.content.pages import ExtractedPage, RawPage
from searchsocket.project.settings.site import ExtractSettings, TransformSettings
from searchsocket.web.urls.resolve import site_base

CASES = sorted((Path(__file__).parent.parent / "golden" / "html").glob("*.html"))
# Where the golden pages lie.
PAGE = RawPage("/docs/getting-started", "/docs/getting-started", "docs/getting-started.html", "")
SITE = site_base(["https://example.com"])
_PAGES = 400  # generated, each from its own seed
_TAGS = (
    "p", "div", "span", "a", "b", "i", "em", "strong", "code", "pre", "ul", "ol", "li", "table", "tr", "td", "th",
    "thead", "tbody", "caption", "h1", "h2", "h3", "blockquote", "br", "hr", "img", "dl", "dt", "dd", "q", "sup",
    "sub", "kbd", "samp", "del", "s", "my-note", "details", "summary", "figure", "figcaption", "section", "form",
    "button", "label", "math", "script", "textarea", "select", "option", "svg", "title", "head", "body", "html",
    "noscript", "template", "iframe", "object", "video", "nobr", "center", "font", "ruby", "rt", "rp",
)  # fmt: skip
_TEXTS = (
    "a", "b c", " ", "\n", "x_y", "*", "`", "1.", "- ", "&amp;", "&lt;b>", "[x](y)", "\xa0", "\xad", "é", "日本", "#",
    "|", "~~", "\\", "<", "&", "]", "x<y", "\x0c", "&#12;", "&#x1;",
)  # fmt: skip
_ATTRIBUTES = (
    "", "", " href='/a b'", " id=x", " class=language-js", " colspan=2", " rowspan=3", " start=3",
    " alt='A nice b|ig view' src=/i.png", " title='&#12;z' href='#&#2;'",
)  # fmt: skip


def page_of(seed: int) -> bytes:
    """Tag soup: anything in anything, some of it never closed."""
    choose = random.Random(seed)

    def content(depth: int) -> str:
        pieces = []
        for _ in range(choose.randint(0, 4)):
            if depth > 4 or choose.random() < 0.45:
                pieces.append(choose.choice(_TEXTS))
                continue
            tag = choose.choice(_TAGS)
            end = "" if choose.random() < 0.12 else f"</{tag}>"
            pieces.append(f"<{tag}{choose.choice(_ATTRIBUTES)}>{content(depth + 1)}{end}")
        return "".join(pieces)

    return f"<main>{content(0)}</main>".encode()


def extracted(html: bytes, converter: Converter, *, tables: bool = True) -> ExtractedPage:
    transform = TransformSettings(preserve_tables=tables)
    return extract_html(html, PAGE, ExtractSettings(), transform, site=SITE, converter=converter)


class ConverterContract:
    """A subclass supplies a `converter` fixture."""

    @pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
    def test_golden_pages_come_out_the_same(self, case: Path, converter: Converter) -> None:
        """Every converter produces the golden file (spec 8.3)."""
        text = case.with_suffix(".txt").read_text(encoding="utf-8")
        assert text.partition("---\n")[2].rstrip("\n") == extracted(case.read_bytes(), converter).body

    def test_tag_soup_comes_out_the_same(self, converter: Converter) -> None:
        """There is no list of exceptions: both walk the one tree that the parser made."""
        for seed in range(_PAGES):
            html = page_of(seed)
            assert extracted(html, converter) == extracted(html, FAST), f"seed {seed}: {html!r}"

    def test_tables_as_lines_come_out_the_same(self, converter: Converter) -> None:
        html = (CASES[0].parent / "tables.html").read_bytes()
        page = extracted(html, converter, tables=False)
        assert "| --- |" not in page.body
        assert page == extracted(html, FAST, tables=False)
