"""A provider's words in an error: no part of the key, and nothing that a terminal obeys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.text.provider_words import provider_message

KEY = "sk-test-0123456789abcdefghijk"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"no such key: {KEY}", "no such key: [key]"),
        (f"no such key: {KEY[:20]}...", "no such key: [key]..."),
        (f"it ends in {KEY[-8:]}", "it ends in [key]"),
        (f"it ends in {KEY[-7:]}", f"it ends in {KEY[-7:]}"),
        (f"{KEY[3:15]}, {KEY}{KEY}", "[key], [key][key]"),
        ("a\x1b]0;title\x07b\r\nc\u202ed\u200be", "a ]0;title b c d e"),
    ],
)
def test_what_is_shown(text: str, expected: str) -> None:
    assert provider_message(text, KEY) == expected


def test_a_short_key_and_none() -> None:
    assert provider_message("key abc123, really", "abc123") == "key [key], really"
    assert provider_message("any text", "") == "any text"


@given(st.text(max_size=50), st.integers(0, 20), st.integers(8, 29), st.text(max_size=50))
def test_no_part_of_the_key_is_left(before: str, start: int, size: int, after: str) -> None:
    message = provider_message(f"{before}{KEY[start : start + size]}{after}", KEY)
    assert not any(KEY[at : at + 8] in message for at in range(len(KEY) - 7))
    assert message.isprintable()
