"""Fit text into a token budget: whole results while they fit, and the first one cut if needed."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from searchsocket.errors import InvalidRequest
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MAX_LIMIT, MOST_MAX_TOKENS
from searchsocket.text.token_count import count_tokens

OVERHEAD = 120  # tokens per passage for its names, scores and source
_ENOUGH = 0.98  # of the budget; the search for the cut ends there
_CHARS_PER_TOKEN = 4  # approximate; that search starts here, so that it does not count a long text

R = TypeVar("R")
DEFAULT_LIMIT = 10


def json_tokens(value: object) -> int:
    """Count the tokens of a value as JSON, with its escaped line breaks and quotes."""
    return count_tokens(json.dumps(value, ensure_ascii=False))


def fitting(results: Sequence[R], text_of: Callable[[R], str], max_tokens: int) -> tuple[R, ...]:
    """Return the first results that fit whole; the first one always."""
    remaining = max_tokens
    for number, result in enumerate(results):
        remaining -= json_tokens(text_of(result)) + OVERHEAD
        if remaining < 0 and number:
            return tuple(results[:number])
    return tuple(results)


def cut_to(text: str, max_tokens: int) -> str:
    """Return the longest beginning of a text that fits, cut after a paragraph, else a line, else a word."""
    fits, beyond = 0, min(len(text), _CHARS_PER_TOKEN * max(1, max_tokens))
    while json_tokens(text[:beyond]) <= max_tokens:
        if beyond == len(text):
            return text
        fits, beyond = beyond, min(len(text), 2 * beyond)
    while beyond - fits > max(8, int(fits * (1 - _ENOUGH))):
        middle = (fits + beyond) // 2
        if json_tokens(text[:middle]) <= max_tokens:
            fits = middle
        else:
            beyond = middle
    for mark in ("\n\n", "\n", " "):
        end = text.rfind(mark, fits // 2, fits)
        if end > 0:
            return text[: end + len(mark)]
    return text[:fits]


def check_bounds(limit: int | None, max_tokens: int | None, most: int = MAX_LIMIT) -> None:
    """Check the limits of a request.

    Raises:
        InvalidRequest: A limit is out of range.
    """
    if limit is not None and not 1 <= limit <= most:
        raise InvalidRequest(f"limit must be from 1 to {most}, not {limit}")
    if max_tokens is not None and not LEAST_MAX_TOKENS <= max_tokens <= MOST_MAX_TOKENS:
        raise InvalidRequest(f"max_tokens must be from {LEAST_MAX_TOKENS} to {MOST_MAX_TOKENS}, not {max_tokens}")
