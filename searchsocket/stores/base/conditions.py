"""Conditions on the rows of a remote index, which each store writes in the query language of its database.

A row matches a sequence if it meets every condition. `holds` is the reference implementation.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.base.vectors import canonical
from searchsocket.text.hidden import storable
from searchsocket.types import Filter

NEVER = 99_999_999_999_999  # `died` of a row that no generation has ended; exact as a float64
_MAX_TEXT_BYTES = 512


@dataclass(frozen=True, slots=True)
class Among:
    """The field is one of these texts; of a field with several texts, one of them is."""

    field: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The field is a number from `low` up to, but not including, `high`."""

    field: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Either:
    """The row meets at least one of these."""

    conditions: tuple[Between, ...]


FieldValue = str | int | tuple[str, ...]
Condition = Among | Between | Either
Conditions = Sequence[Condition]


def stored_text(text: str) -> str:
    """A text as rows contain it: itself, or the digest of a long one, because databases limit indexed texts."""
    text = storable(text)
    if len(text.encode()) <= _MAX_TEXT_BYTES:
        return text
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def visible_to(number: int) -> Conditions:
    """The rows of one generation."""
    return Between("born", 0, number + 1), Between("died", number + 1, NEVER + 1)


def visible_to_none(numbers: Collection[int]) -> Conditions:
    """The rows that none of these generations has."""
    return [Either((Between("born", number + 1, NEVER), Between("died", 0, number + 1))) for number in numbers]


def ended_after(number: int) -> Conditions:
    """The rows that a later generation has ended."""
    return [Between("died", number + 1, NEVER)]


def alive_before(number: int, ids: Iterable[str]) -> Conditions:
    """The rows of these records that an earlier generation wrote and none has ended."""
    return Among("record", tuple(map(storable, ids))), Between("born", 0, number), Between("died", NEVER, NEVER + 1)


def matching(where: Filter) -> Conditions:
    """The rows that a query with this filter may find."""
    where = canonical(where)
    groups = [("directories", (where.path_prefix,)), ("directories", where.directories)]
    groups += [("tags", (tag,)) for tag in where.tags]
    groups += [("labels", group) for group in groups_of(where)]
    named = [Among(field, tuple(map(stored_text, texts))) for field, texts in groups if any(texts)]
    return [Between("hidden", 0, 1), *named]


def holds(conditions: Conditions, fields: Mapping[str, FieldValue]) -> bool:
    """Return True if a row with these fields meets every condition."""
    return all(_holds(condition, fields) for condition in conditions)


def _holds(condition: Condition, fields: Mapping[str, FieldValue]) -> bool:
    match condition:
        case Either(conditions):
            return any(_holds(each, fields) for each in conditions)
        case Between(field, low, high):
            number = fields[field]
            return isinstance(number, int) and low <= number < high
        case Among(field, texts):
            value = fields[field]
            values = value if isinstance(value, tuple) else (value,)
            return not set(texts).isdisjoint(values)
