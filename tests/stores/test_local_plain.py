"""Plain texts are kept as the few bytes by which they differ from the Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.markdown.chunk_text import ChunkText, Opening
from searchsocket.stores.local.catalogue.plain import packed, unpacked

TEXT = st.text(st.characters(codec="utf-8"), max_size=300)
OPENINGS = st.lists(st.builds(Opening, st.integers(0, 300), TEXT, TEXT), max_size=3).map(tuple)


@given(st.builds(ChunkText, TEXT, OPENINGS), TEXT)
def test_a_text_comes_back_whatever_its_markdown_is(text: ChunkText, markdown: str) -> None:
    assert unpacked(packed(text, markdown), markdown) == text


def test_what_the_markdown_says_costs_next_to_nothing() -> None:
    prose = " ".join(f"The {word} zebra eats at {number} o'clock." for number, word in enumerate(["big", "red"] * 20))
    plain, openings = packed(ChunkText(prose), f"## Zebras {{#zebras}}\n\n{prose}")
    assert len(plain) < len(prose) / 20
    assert openings == ""


@pytest.mark.parametrize("values", [(b"", ""), (b"\xff\xff", ""), ("text", ""), (None, ""), (b"\x03\x00", "[[1]]")])
def test_damage_is_no_text(values: tuple[object, str]) -> None:
    with pytest.raises((ValueError, TypeError)):
        unpacked(values, "some Markdown")
