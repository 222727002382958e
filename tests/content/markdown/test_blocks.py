"""Markdown blocks against CommonMark's reference parser, and the cases that matter to chunking."""

import pytest
from hypothesis import given
from hypothesis import settings as runs
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from searchsocket.content.markdown.blocks import Block, parse_blocks

_REFERENCE = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["html_block", "reference"])
_KINDS = {
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "blockquote_open": "blockquote",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "paragraph_open": "paragraph",
    "hr": "paragraph",
}
LINES = ["# H", "## H {#a}", "text", "more | text", "```", "````js", "~~~", "- item", "  - inner", "   ```", "1. one",
         "> quote", "> ```", "", "", "    deep", "---", "* * *", "+ x", "2) y",
         "  word"]  # fmt: skip


def kinds(markdown: str) -> list[str]:
    return [block.kind for block in parse_blocks(markdown)]


@runs(deadline=None)  # a busy machine is no failure
@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_fences_and_headings_are_where_commonmark_sees_them(lines: list[str]) -> None:
    """Chunk borders depend on these two; the other kinds may differ in corners."""
    markdown = "\n".join(lines)
    tokens = [token for token in _REFERENCE.parse(markdown) if token.level == 0 and token.type in _KINDS]
    expected = [_KINDS[token.type] for token in tokens]
    expected_value = {"heading", "code"}
    assert [kind for kind in kinds(markdown) if kind in expected_value] == [
        kind for kind in expected if kind in expected_value
    ]


@runs(deadline=None)  # a busy machine is no failure
@given(st.text(st.sampled_from("#`~-|> \n1.ab*\t\r"), max_size=200))
def test_no_line_is_lost(markdown: str) -> None:
    blocks = "".join(block.text for block in parse_blocks(markdown))
    rest = iter(blocks)
    assert all(char in rest for char in markdown if not char.isspace())


@pytest.mark.parametrize(
    ("line", "title", "anchor", "level"),
    [
        ("## Install {#install}", "Install", "install", 2),
        ("# A `{#x}` b", "A `{#x}` b", "", 1),
        ("### Not \\{#x}", "Not \\{#x}", "", 3),
        ("## Closed ##", "Closed", "", 2),
        ("## C# {#c}", "C#", "c", 2),
        ("## C#", "C#", "", 2),
        ("#", "", "", 1),
        ("## impl {#impl-Foo%3CT%3E.x}", "impl", "impl-Foo<T>.x", 2),
    ],
)
def test_headings_give_up_their_anchor(line: str, title: str, anchor: str, level: int) -> None:
    assert parse_blocks(line) == [Block("heading", line, level, title, anchor)]


def test_underlined_headings_are_headings() -> None:
    blocks = parse_blocks("Title\n===\n\nSub {#s}\n---\ntext\n")
    assert [(block.level, block.title, block.anchor) for block in blocks[:2]] == [(1, "Title", ""), (2, "Sub", "s")]


def test_a_fence_closes_only_with_its_own_character_and_length() -> None:
    """Failure 20."""
    markdown = "````\n```\n~~~~\n# x\n`````\n\ntext"
    assert kinds(markdown) == ["code", "paragraph"]


def test_a_fence_that_never_closes_is_closed_at_the_end() -> None:
    assert parse_blocks("a\n\n  ~~~js\ncode")[1] == Block("code", "  ~~~js\ncode\n  ~~~")


def test_a_fence_inside_a_list_item_ends_with_the_item() -> None:
    assert kinds("- a\n  ```\n  code\n\n# Heading") == ["list", "heading"]
    assert kinds("- a\n  ```\n  # code\n\n  # more\n  ```\n- b") == ["list"]


def test_a_list_knows_its_outermost_items() -> None:
    (block,) = parse_blocks("1. one\n\n   more\n   - inner\n2. two\nlazy\n")
    assert block.items == ("1. one\n\n   more\n   - inner", "2. two\nlazy")


def test_a_table_needs_its_delimiter_row() -> None:
    assert kinds("a | b\nc | d") == ["paragraph"]
    assert kinds("text\na | b\n--- | ---\nc | d\n\nend") == ["paragraph", "table", "paragraph"]


def test_unicode_line_separators_are_text() -> None:
    assert kinds("a\u2028# b\x0c# c") == ["paragraph"]
