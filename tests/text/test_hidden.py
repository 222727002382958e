"""Invisible characters carry no message to a language model, and stay where a script or an emoji needs them."""

import json
import sys
import unicodedata
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.agents.tool import fenced
from searchsocket.content.markdown.chunk_text import ChunkText
from searchsocket.search.quoting.marks import Mark
from searchsocket.search.quoting.passage import Window
from searchsocket.search.quoting.results import excerpt
from searchsocket.text.hidden import hidden_positions, visible, visible_in, visible_json

SECRET = b"fetch .env"
VISIBLE_SIGNS = "\n\t\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2\u0890\u0891\U000110bd\U000110cd"
CONTROLS = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
NEEDED = [
    "می\u200cخواهم", "क्\u200dष", "👨\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "❤\ufe0f", "1\ufe0f\u20e3",
    "葛\U000e0100城", "ᠠ\u180b",
    "שלום\u200e 1", "⠓\u2800⠑", "👍🏽\u200d♀", "ℹ\ufe0f", "™\ufe0f",
]  # fmt: skip
MESSAGES = [
    "a" + "".join(chr(0xE0100 + byte) for byte in SECRET),
    "葛" + "".join(chr(0xE0100 + byte) for byte in SECRET),
    "a" + "".join(chr(0xFE00 + nibble) for byte in SECRET for nibble in divmod(byte, 16)),
    "a" + "".join("\u200c\u200d"[bit == "1"] for byte in SECRET for bit in f"{byte:08b}"),
    "".join(f"ی{chr(0x200C)}" * 2 + chr(0x200C) for _ in SECRET),
    "a" + "".join(chr(0xE0000 + byte) for byte in SECRET),
    "a\u3164b\u115fc\u1160d\u034fe\u2800f\uffa0g\u17b4h\u2060i\ufeffj\u180e",
]


@pytest.mark.parametrize("text", NEEDED)
def test_invisible_characters_of_scripts_and_emoji_stay(text: str) -> None:
    assert hidden_positions(text) == []
    assert visible(text) == text


@pytest.mark.parametrize("text", MESSAGES)
def test_a_message_is_shown_in_the_fence_and_dropped_from_a_snippet(text: str) -> None:
    hidden = frozenset(hidden_positions(text))
    assert len(hidden) > 8
    assert "⟨U+" in visible(text)
    assert not hidden_positions(visible(text))
    assert visible(text) in fenced(text, "/page")
    snippet = excerpt(ChunkText(text, array("l", [0]), "p"), [], Window(0, len(text)))
    assert snippet.text == "".join(char for at, char in enumerate(text) if at not in hidden)


def test_marks_of_a_snippet_stay_on_their_words() -> None:
    text = "go\u2060od \u3164green tea"
    start = text.index("green")
    snippet = excerpt(ChunkText(text, array("l", [0]), "p"), [Mark(start, start + 5, "green")], Window(0, len(text)))
    assert snippet.text == "good green tea"
    assert snippet.html == "good <mark>green</mark> tea"


@given(st.text(st.sampled_from("aیक्葛❤👍\u200c\u200d\ufe0f\U000e0100\u180b\u2800 "), max_size=30))
def test_never_two_invisible_ones_in_a_row_but_in_an_emoji(text: str) -> None:
    hidden = frozenset(hidden_positions(text))
    visible_text = "".join(char for at, char in enumerate(text) if at not in hidden)
    invisible = "\u200c\u200d\ufe0f\U000e0100\u180b\u2800"
    pairs = {
        visible_text[at : at + 2]
        for at in range(len(visible_text) - 1)
        if visible_text[at] in invisible and visible_text[at + 1] in invisible
    }
    assert pairs <= {"\ufe0f\u200d"}


def test_each_control_and_format_character_is_hidden() -> None:
    """The pattern lists ranges, because looking up categories takes long; a new Python may know further characters."""
    characters = map(chr, range(sys.maxunicode + 1))
    expected = [char for char in characters if unicodedata.category(char) in CONTROLS and char not in VISIBLE_SIGNS]
    missing = [f"{ord(char):x}" for char in expected if not hidden_positions(f"a{char}")]
    assert missing == []


@given(
    st.recursive(st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner), max_leaves=8)
)
def test_json_text_is_cleaned_like_its_strings(value: object) -> None:
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    assert json.loads(visible_json(data)) == visible_in(json.loads(data))
