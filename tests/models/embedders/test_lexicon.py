"""Recognition of words."""

import pytest

from searchsocket.models.embedders.builtin import is_language


@pytest.mark.parametrize(
    "text", ["doctor", "physician", "the Doctor's office".replace("'s", ""), "unoccupied", "lightswitch", "two-factor"]
)
def test_english_is_language(text: str) -> None:
    assert is_language(text)


@pytest.mark.parametrize(
    "text",
    [
        "duti",
        "asdf",
        "asdfasdf",
        "qweqwe",
        "qwerty",
        "sdfjkl",
        "xqzvbnt",
        "3fa9c0",
        "aGk9X0xq==",
        "kissa nukkuu",
        "the",
        "",
        "日本",
    ],
)
def test_noise_and_other_languages_are_not(text: str) -> None:
    """`duti` is what `duties` is kept as; of stop words alone nothing is meant."""
    assert not is_language(text)
