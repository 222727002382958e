"""Only code spans, bold text and links to cited pages remain of a model's Markdown."""

import pytest

from searchsocket.extensions.answers.pieces import without_unsafe_markup

PAGES = {"/docs/keys#rotate"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [the page](/docs/keys#rotate).", "See [the page](/docs/keys#rotate)."),
        ("See [the page](/docs/other).", "See the page."),
        ("See [the page](https://evil.example/a 'title').", "See the page."),
        ("See [x](javascript:alert(1)).", "See x."),
        ("See [x][ref].", "See x."),
        ("A ![pixel](https://evil.example/p.png) here.", "A here."),
        ("[![alt](https://a.example)](https://b.example)", ""),
        ("Open https://evil.example/a.", "Open `https://evil.example/a`."),
        ("Open <https://evil.example/a>.", "Open `https://evil.example/a`."),
        ("Open //evil.example/a now.", "Open `//evil.example/a` now."),
        ("Mail mailto:a@b.example now.", "Mail `mailto:a@b.example` now."),
        ("An *em*, _em_ and **bold** ~~old~~ snake_case_name.", "An em, em and **bold** old snake_case_name."),
        ("An odd **bold.", "An odd bold."),
        ("An odd `code.", "An odd code."),
        ("Use `<div>` and `[a](b)`.", "Use `<div>` and `[a](b)`."),
        ("Clone it to <path>, or into <KeepAlive/>.", "Clone it to `<path>`, or into `<KeepAlive/>`."),
        ("&lt;script&gt; is read.", "`<script>` is read."),
    ],
)
def test_a_sentence_keeps_only_the_subset(text: str, shown: str) -> None:
    assert without_unsafe_markup(text, PAGES) == shown


@pytest.mark.parametrize(
    "text",
    ["<b>x</b>", "a <img src=x onerror=alert(1)>", "&lt;script&gt;x&lt;/script&gt;",
     "&amp;lt;script src=x&amp;gt;", "<!-- x -->", "</div>",
     "[a]: https://evil.example", "&#60;svg onload=x&#62;", "<<b>script>", "<script <b> src=x>"],
)  # fmt: skip
def test_a_sentence_with_html_or_a_definition_is_not_shown(text: str) -> None:
    assert without_unsafe_markup(text, PAGES) is None
