"""Explain an invalid value in our own words, and make messages of a provider safe to show."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from searchsocket.text.amounts import count

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_SENTENCES: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is an unknown key",
    "greater_than_equal": "must be {ge} or more",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be {le} or less",
    "less_than": "must be less than {lt}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "finite_number": "must be a finite number",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "string_pattern_mismatch": "must have the form {pattern}",
    "json_invalid": "is not valid JSON",
}
_KINDS: Mapping[str, str] = {  # by the first word of the type
    "int": "a whole number", "float": "a number", "bool": "true or false", "string": "text", "bytes": "text",
    "list": "a list", "tuple": "a list", "set": "a list", "frozen": "a list", "dict": "an object with keys",
    "mapping": "an object with keys",
    "model": "an object with keys", "dataclass": "an object with keys", "date": "a date, such as 2026-12-31",
    "datetime": "a date and time, such as 2026-12-31T12:00:00Z", "url": "a URL, such as https://www.example.com",
    "none": "null",
}  # fmt: skip

MASK = "[key]"
_MIN_PART_CHARS = 8  # a shorter part does not reveal the key
_MAX_CHARS = 300


def _plain(value: object) -> object:
    return f"{value:,.12g}" if isinstance(value, int | float) else value


def explain_mistake(detail: "ErrorDetails") -> str:
    """Return a sentence without its subject, such as `must be 2 or more`."""
    kind, values = detail["type"], detail.get("ctx", {})
    if kind in ("value_error", "assertion_error"):
        return detail["msg"].partition(", ")[2]  # our own sentence, after the name of the error
    if sentence := _SENTENCES.get(kind):
        return sentence.format(**{name: _plain(value) for name, value in values.items()})
    first, _, rest = kind.partition("_")
    if rest in ("too_short", "too_long") or first == "too":
        size: int = values.get("min_length", values.get("max_length", 0))
        unit = "character" if first == "string" else "entry"
        amount = count(size, unit) if unit == "character" or size == 1 else f"{size:,} entries"
        if kind.endswith("short"):
            return "must not be empty" if size == 1 else f"must have {amount} or more"
        return f"must have {amount} or fewer"
    return f"must be {_KINDS[first]}" if first in _KINDS else "is not valid"


def provider_message(text: str, key: str, max_chars: int = _MAX_CHARS) -> str:
    """A provider's message on one line, with `[key]` for each part of the key.

    Args:
        key: The key, which the provider may repeat in whole or in part; "" = none.
    """
    text = _without_key(text[: max_chars + 8 * len(key) + _MAX_CHARS], key)
    text = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(text.split())[:max_chars]


def _without_key(text: str, key: str) -> str:
    size = min(_MIN_PART_CHARS, len(key))
    if not size:
        return text
    parts = {key[start : start + size] for start in range(len(key) - size + 1)}
    words, at = "", 0
    while at < len(text):
        if text[at : at + size] not in parts:
            words += text[at]
            at += 1
            continue
        end = at + size
        while text[end - size + 1 : end + 1] in parts and end < len(text):
            end += 1
        words += MASK
        at = end
    return words
