"""Estimate the length of code in tokens, independent of the model."""

import re
from collections.abc import Iterable
from functools import lru_cache

# Roughly the pieces of code in subword vocabularies: parts of identifiers, short runs of digits, single signs.
_TOKEN = re.compile(r"[A-Z]?[a-z]{1,8}|[A-Z]{1,4}|[0-9]{1,3}|[^\W_A-Za-z0-9]|[^\w\s]")


_MAX_CACHED_CHARS = 100  # lines repeat, in nested definitions and across files


def count_tokens(text: str) -> int:
    """An estimate that depends only on the text."""
    return len(_TOKEN.findall(text))


def tokens_of_lines(lines: Iterable[str]) -> Iterable[int]:
    """`count_tokens` of each line; no token spans two lines."""
    return (_of_line(line) if len(line) <= _MAX_CACHED_CHARS else count_tokens(line) for line in lines)


_of_line = lru_cache(maxsize=1 << 14)(count_tokens)
