"""Count the tokens of OpenAI's models on this machine, with their vocabulary (spec 11, 21)."""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

_ENCODINGS = {
    "text-embedding-3-large": "cl100k_base",
    "text-embedding-3-small": "cl100k_base",
    "text-embedding-ada-002": "cl100k_base",
}


def vocabulary_of(model: str) -> Callable[[str], int] | None:
    """Return a token counter of the model, for valid UTF-8; None if it is unknown or not installed.

    The vocabulary is loaded at the first count, in 0.7 s and 100 MB.
    """
    encoding = _ENCODINGS.get(model)
    if encoding is None or find_spec("bpe_openai") is None:
        return None
    return lambda text: _counter(encoding)(text)


@cache
def _counter(encoding: str) -> Callable[[str], int]:
    # The public function returns a list of tokens, in ten times the time; this private function only counts.
    from bpe_openai._bindings import tokenizer_for_encoding

    count: Callable[[str], int] = tokenizer_for_encoding(encoding).count
    return count


def longest_start(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return the longest beginning of a text with at most so many tokens."""
    if len(text.encode("utf-8")) <= max_tokens or count(text) <= max_tokens:  # a token is at least one byte
        return text
    fits, beyond = 0, len(text)
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if count(text[:middle]) <= max_tokens:
            fits = middle
        else:
            beyond = middle
    return text[:fits]
