"""Plain texts are kept as the few bytes by which they differ from the Markdown."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.markdown.chunk_text import Opening, joined
from searchsocket.content.markdown.lines import Line, LineKind
from searchsocket.stores.local.catalogue.packed_texts import packed_plain, unpacked_plain

TEXT = st.text(st.characters(codec="utf-8"), max_size=300)
OPENINGS = st.lists(st.builds(Opening, st.integers(0, 300), TEXT, TEXT), max_size=3).map(tuple)


@given(st.lists(st.tuples(st.sampled_from("ptc"), TEXT)), OPENINGS, TEXT)
def test_a_text_comes_back_whatever_its_markdown_is(
    lines: list[tuple[LineKind, str]], openings: tuple[Opening, ...], markdown: str
) -> None:
    text = replace(joined(Line(*line) for line in lines), openings=openings)
    assert unpacked_plain(packed_plain(text, markdown), markdown) == text


def test_a_text_of_more_than_two_bytes_can_count_comes_back() -> None:
    text = joined([Line("p", "a" * 65_530), Line("p", "b" * 9), Line("p", "c")])
    assert unpacked_plain(packed_plain(text, ""), "") == text


def test_text_equal_to_its_markdown_takes_almost_no_bytes() -> None:
    prose = " ".join(f"The {word} zebra eats at {number} o'clock." for number, word in enumerate(["big", "red"] * 20))
    plain, starts, kinds, _ = packed_plain(joined([Line("p", prose)]), f"## Zebras {{#zebras}}\n\n{prose}")
    assert len(plain) < len(prose) / 20
    assert len(starts) + len(kinds) < len(prose) / 10


@pytest.mark.parametrize(
    "values",
    [
        (b"", b"", "", ""),
        (b"\xff\xff", b"", "", ""),
        ("text", b"", "", ""),
        (None, b"", "", ""),
        (b"\x03\x00", b"", "", "[[1]]"),
        (b"\x03\x00", b"\x00\x00\x00\x00", "ppp", ""),
        (b"\x03\x00", b"\x00\x00\x00", "p", ""),
        (b"\x03\x00", None, "p", ""),
    ],
)
def test_damage_is_no_text(values: tuple[object, str]) -> None:
    with pytest.raises((ValueError, TypeError)):
        unpacked_plain(values, "some Markdown")
