"""Tokens of OpenAI's models, counted on this machine by the vocabulary itself (spec 11, 21)."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

_ENCODINGS = {
    "text-embedding-3-large": "cl100k_base",
    "text-embedding-3-small": "cl100k_base",
    "text-embedding-ada-002": "cl100k_base",
}


def vocabulary_of(model: str) -> Callable[[str], int] | None:
    """A token counter for valid UTF-8 that matches the model; None if it is unknown or not installed.

    Nothing is loaded before the first count: that takes 0.7 s and 100 MB.
    """
    encoding = _ENCODINGS.get(model)
    if encoding is None or find_spec("bpe_openai") is None:
        return None
    return lambda text: _counter(encoding)(text)


@cache
def _counter(encoding: str) -> Callable[[str], int]:
    # What it offers for everybody gives a list of tokens, in ten times the time; this is what that is made of.
    from bpe_openai._bindings import tokenizer_for_encoding

    count: Callable[[str], int] = tokenizer_for_encoding(encoding).count
    return count


def longest_start(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """As much of the beginning of a text as has at most so many tokens."""
    if len(text.encode("utf-8")) <= max_tokens or count(text) <= max_tokens:  # a token is a byte at least
        return text
    fits, beyond = 0, len(text)
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if count(text[:middle]) <= max_tokens:
            fits = middle
        else:
            beyond = middle
    return text[:fits]
