"""Markdown to text: what snippets, keyword fields and embeddings see."""

import pytest
from counted_calls import calls
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st

from searchsocket.content.markdown.lines import plain_text
from searchsocket.content.markdown.text import escape_inline, inline_text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ('A [link **b**](/url "t") here', "A link b here"),
        ("![A cat](cat.png) sits", "A cat sits"),
        ("[![Logo](l.png)](/home) x", "Logo x"),
        ("[a](<b c>) [d](e(f)g) [h](i 'j')", "a d h"),
        ("rest of](/url) a link", "rest of a link"),  # failure 68
        ("a well-known snake_case and __init__ \\_x\\_", "a well-known snake_case and init _x_"),
        ("**bold** _em_ ***both*** ~~gone~~ 2 * 3 * 4 ~x~", "bold em both gone 2 * 3 * 4 ~x~"),
        ("`co_de *x*` ``a ` b`` ` open", "co_de *x* a ` b ` open"),
        ("\\*not\\* \\[x\\](y) C:\\dir 1\\. end\\\nnext", "*not* [x](y) C:\\dir 1. end next"),
        ("a &lt; b &amp;&#35; &nosuch; & c", "a < b &# &nosuch; & c"),
        ("<https://a.b/c> a<br>b x < y", "https://a.b/c a b x < y"),
        ("note[^1] array[0]", "note array[0]"),
        ("## Title *x* {#title}", "Title x"),
        ("| a | b \\| c |\n| --- | :-: |\n| `d` | [e](f) |", "a b | c\nd e"),
        ("| prop | type |\n| --- | --- |\n| `side` | `'top' \\| 'left'` |", "prop type\nside 'top' | 'left'"),
        ("> quoted **b**\n> more\n\n- one\n- [x] two\n  1. three", "quoted b more\none\ntwo\nthree"),
        ("```js\nlet a_b = `x`; // *y*\n```", "let a_b = `x`; // *y*"),
        ("- run\n  ```sh\n  a_b *c*\n    d\n  ```", "run\na_b *c*\n  d"),
        ("> ```\n> a_b\n> ```", "a_b"),
        ("a\n\n---\n\nb", "a\nb"),
        ("!\\[no](x) wow![alt](y)", "![no](x) wowalt"),
        ("", ""),
    ],
)
def test_markdown_becomes_what_a_reader_sees(markdown: str, text: str) -> None:
    assert plain_text(markdown) == text


@runs(deadline=None)  # a busy machine is no failure
@given(st.text(max_size=80))
def test_escaped_text_comes_back(text: str) -> None:
    one_line = " ".join(text.split())
    assert inline_text(escape_inline(text)) == one_line


@runs(deadline=None)  # a busy machine is no failure
@given(st.text(st.sampled_from("ab1. -*_`[](){}#>|~=+&lt;\\<\n"), max_size=30))
def test_escaped_text_comes_back_as_a_paragraph(text: str) -> None:
    assert plain_text(escape_inline(text)) == " ".join(text.split())


@runs(deadline=None)  # a busy machine is no failure
@given(st.text(st.sampled_from("ab `*_~[]()!<>&;#|\\-\n"), max_size=120))
def test_any_markdown_becomes_text_without_a_crash(markdown: str) -> None:
    letters = [char for char in markdown if char in "ab"]
    assert len([char for char in plain_text(markdown) if char in "ab"]) <= len(letters)


@pytest.mark.parametrize(
    "unit",
    ["[", "](", "*a ", "`" + "``a ", "- ", "> ", "[a](b", "**", "_a", "~~~\n", "|a\n|-\n", "#", "<a:", "&a", "[^", "\\",
     '](a "', "a\n=\n", "1. ", "![", "(a)", "\t", "- a\n", "[x](y)", "*_", "`a", "<br", "|", "\u0301"],
)  # fmt: skip
def test_hostile_markdown_takes_linear_time(unit: str) -> None:
    """Ten times the input is ten times the calls; a pattern that tried each end for each start would take minutes."""
    short, long = unit * (20_000 // len(unit)), unit * (200_000 // len(unit))
    plain_text(unit)
    assert calls(lambda: plain_text(long)) <= 11 * calls(lambda: plain_text(short))
