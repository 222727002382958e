"""Tokens by the vocabulary of OpenAI's models, offline."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.models.embedders import openai
from searchsocket.models.embedders.openai import OpenAIEmbedder, longest_start, vocabulary_of
from searchsocket.models.paying.cost import estimate_tokens

MODEL = "text-embedding-3-small"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
        ("", 0),
    ],
)
def test_counts_are_those_that_the_vendor_publishes(text: str, tokens: int) -> None:
    """Of cl100k_base, in OpenAI's cookbook "How to count tokens with tiktoken"."""
    count = vocabulary_of(MODEL)
    assert count is not None
    assert count(text) == tokens


def test_the_vocabulary_is_loaded_at_the_first_count() -> None:
    """A service that only sends queries needs none of it."""
    code = f"""
import sys
from searchsocket.models.embedders.openai import OpenAIEmbedder
embedder = OpenAIEmbedder({MODEL!r}, 1536, "key")
assert "bpe_openai" not in sys.modules
assert embedder.count_tokens("tiktoken is great!") == 6
assert "bpe_openai" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_vocabulary_bytes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of another server, or a machine without a wheel; requests then stay below the limits in bytes."""
    assert vocabulary_of("nomic-embed-text") is None
    monkeypatch.setattr(openai, "find_spec", lambda name: None)
    embedder = OpenAIEmbedder(MODEL, 1536, "key")
    assert embedder.count_tokens("tiktoken is great!") == 5
    assert 4 * embedder.limits.tokens <= 300_000


def test_the_estimate_is_about_right_where_words_are_english() -> None:
    """As documented: within a quarter for prose and for markup, too low for other scripts."""
    count = vocabulary_of(MODEL)
    assert count is not None
    prose = (
        "Install the package, then run the command. It reads every page of the site and writes the index beside it. "
    )
    assert 0.75 < estimate_tokens(prose * 20) / count(prose * 20) < 1.25
    assert estimate_tokens("漢字かな交じり文" * 20) < count("漢字かな交じり文" * 20)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60), st.integers(min_value=1, max_value=20))
def test_a_text_is_cut_at_its_tokens(text: str, limit: int) -> None:
    """Whole where it may be, else as much as fits; one that is short enough in bytes is not even counted."""
    count = vocabulary_of(MODEL)
    assert count is not None
    start = longest_start(text, limit, count)
    assert text.startswith(start)
    assert count(start) <= limit
    assert (count(text) <= limit) == (start == text)
