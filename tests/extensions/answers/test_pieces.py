"""A stream is cut into sentences, items and code, however its bytes arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.extensions.answers.pieces import MAX_CODE_CHARS, MAX_PIECE_CHARS, Piece, PieceReader, sentences_of

ANSWER = """Run `npm i. foo` first [1]. Set it to 3.5, e.g. here.[2] It works! [1, 3]
A soft line.

## Heading
- one thing `a[0]` [1]. Second thing. [2]
2. two [^4]
```toml
a = 1
# [1]
```
日本語です。次。[2]
The end【3†source】"""


def pieces(*parts: str) -> list[Piece]:
    reader = PieceReader()
    return [*(piece for part in parts for piece in reader.feed(part)), *reader.close()]


def test_each_piece_has_its_text_citations_and_paragraph() -> None:
    assert [(each.kind, each.text, each.citations, each.paragraph) for each in pieces(ANSWER)] == [
        ("text", "Run `npm i. foo` first.", (1,), 0),
        ("text", "Set it to 3.5, e.g. here.", (2,), 0),
        ("text", "It works!", (1, 3), 0),
        ("text", "A soft line.", (), 0),
        ("item", "one thing `a[0]`. Second thing.", (1, 2), 1),
        ("item", "two", (4,), 2),
        ("code", "a = 1\n# [1]", (), 3),
        ("text", "日本語です。", (), 3),
        ("text", "次。", (2,), 3),
        ("text", "The end", (3,), 3),
    ]


@given(st.lists(st.integers(1, 12), max_size=80))
def test_the_cuts_of_a_stream_do_not_matter(sizes: list[int]) -> None:
    parts, at = [], 0
    for size in sizes:
        parts.append(ANSWER[at : at + size])
        at += size
    assert pieces(*parts, ANSWER[at:]) == pieces(ANSWER)


def test_a_sentence_is_there_before_the_next_one_ends() -> None:
    reader = PieceReader()
    assert [piece.text for piece in reader.feed("First one [1]. Sec")] == ["First one."]


def test_an_item_has_sentences() -> None:
    (item,) = pieces("- One `a. b` here. Two.")
    assert [each.text for each in sentences_of(item)] == ["One `a. b` here.", "Two."]


@pytest.mark.parametrize(
    "text", ["x" * 50_000, "```\n" + "y" * 50_000, "`" * 50_000, "- " + "z" * 50_000, "[1]" * 9_999]
)
def test_no_piece_is_longer_than_its_limit(text: str) -> None:
    parts = [text[at : at + 97] for at in range(0, len(text), 97)]
    assert all(len(each.text) <= max(MAX_PIECE_CHARS, MAX_CODE_CHARS) for each in pieces(*parts))


@given(st.text(alphabet="a.`~-[]1 \n#>*!é。", max_size=200))
def test_words_are_neither_lost_nor_repeated(text: str) -> None:
    """Signs and headings are left out, words of other lines are not."""
    words = sum(line.count("é") for line in text.split("\n") if not line.lstrip(" ").startswith(("#", "~", "`")))
    assert words <= sum(each.text.count("é") for each in pieces(text)) <= text.count("é")
