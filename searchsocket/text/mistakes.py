"""Explain an invalid value in our own words, from the error of the library that checked it."""

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
