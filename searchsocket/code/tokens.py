"""Length of code in tokens, independent of the model."""

import re
from collections.abc import Iterable
from functools import lru_cache

# About the pieces that subword vocabularies have for code: parts of identifiers, short runs of digits, each sign.
_TOKEN = re.compile(r"[A-Z]?[a-z]{1,8}|[A-Z]{1,4}|[0-9]{1,3}|[^\W_A-Za-z0-9]|[^\w\s]")


_MAX_CACHED_CHARS = 100  # lines come again: in definitions that are in each other, and from file to file


def count_tokens(text: str) -> int:
    """An estimate that is the same for the same text everywhere."""
    return len(_TOKEN.findall(text))


def tokens_of_lines(lines: Iterable[str]) -> Iterable[int]:
    """`count_tokens` of each line; no token is of two."""
    return (_of_line(line) if len(line) <= _MAX_CACHED_CHARS else count_tokens(line) for line in lines)


_of_line = lru_cache(maxsize=1 << 14)(count_tokens)
