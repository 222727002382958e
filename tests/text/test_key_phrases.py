"""Key phrases: a statistic of one text, so that a page that did not change keeps its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.text.key_phrases import MOST, key_phrases, phrases_of_code, phrases_of_page

PAGE = """# Rotating keys

A signing key is rotated every month. `rotateKeys` makes a new signing key and keeps the old one, so that a token
which the old signing key signed stays valid. Call `rotateKeys` by hand after a leak.

## Token lifetime

A token lives for an hour; the refresh token lives for a day. A refresh token is used once.

```js
for (const thing of things) thing.thing();
```
"""


def test_a_page_is_told_by_its_own_phrases() -> None:
    phrases = phrases_of_page("Rotating keys", PAGE)
    assert phrases[0] in ("signing key", "Rotating keys")
    assert {"signing key", "rotateKeys", "Token lifetime", "refresh token"} <= set(phrases)
    assert 5 <= len(phrases) <= MOST
    assert not any("thing" in phrase for phrase in phrases)


def test_a_file_is_told_by_what_it_defines_and_uses_most() -> None:
    texts = ["def load(path): return parse(read(path))", "def parse(text): return [parse(one) for one in text]"]
    phrases = phrases_of_code(["load", "Parser.parse"], texts, ["Reads a settings file. A settings file is TOML."])
    assert phrases[:3] == ("parse", "load", "settings file")


@given(st.text(), st.lists(st.text(max_size=20), max_size=3))
def test_they_are_few_distinct_and_the_same_again(text: str, headings: list[str]) -> None:
    phrases = key_phrases(text, headings)
    assert len({phrase.lower() for phrase in phrases}) == len(phrases) <= MOST
    assert phrases == key_phrases(text, headings)
    assert all(phrase.strip() for phrase in phrases)


@pytest.mark.parametrize("text", ["", "the and of", "1 2 3", "!" * 5_000, "a " * 20_000])
def test_texts_without_content_have_no_key_phrases(text: str) -> None:
    assert key_phrases(text) == ()
