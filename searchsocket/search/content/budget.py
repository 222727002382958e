"""Fit text into an answer: whole pieces while they fit, and the first one in part."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from searchsocket.text.token_count import count_tokens

OVERHEAD = 120  # tokens of what stands beside a passage: its names, scores and source
_ENOUGH = 0.98  # of the budget; the search for where to cut ends there
_CHARS_A_TOKEN = 4  # about: where that search begins, so that what lies far behind is not counted

R = TypeVar("R")


def json_tokens(value: object) -> int:
    """Tokens of a text, or of what holds some, as it travels: in JSON, where line breaks and quotes are escaped."""
    return count_tokens(json.dumps(value, ensure_ascii=False))


def fitting(results: Sequence[R], text_of: Callable[[R], str], max_tokens: int) -> tuple[R, ...]:
    """The first results that fit, whole, and the first one in any case."""
    remaining = max_tokens
    for number, result in enumerate(results):
        remaining -= json_tokens(text_of(result)) + OVERHEAD
        if remaining < 0 and number:
            return tuple(results[:number])
    return tuple(results)


def cut_to(text: str, max_tokens: int) -> str:
    """As much of the beginning of a text as fits, up to a paragraph, a line, or a word where there is none."""
    fits, beyond = 0, min(len(text), _CHARS_A_TOKEN * max(1, max_tokens))
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
