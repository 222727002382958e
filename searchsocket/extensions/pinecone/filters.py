"""Filters for Pinecone. It cannot compare prefixes or order texts: directories are lists, and generations numbers."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

from searchsocket.stores.base.labels import groups_of
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.vectors import canonical
from searchsocket.text.storable import storable
from searchsocket.types import Filter

RECORD, BORN, DIED, HIDDEN, BUCKET = "record", "born", "died", "hidden", "bucket"
DIRECTORIES, TAGS, LABELS = "directories", "tags", "labels"
NEVER = 99_999_999_999_999  # died: above the number of every generation; exact as a float64, which Pinecone stores
BUCKETS = 1 << 20  # each row is in one of these, by its key, so that rows can be read in parts
_DIGEST_CHARS = 25
Where = Mapping[str, object]


def shortest_of(text: str) -> str:
    """A text, or the short digest of a long one, for places with a size limit."""
    return (
        text if len(text.encode()) < _DIGEST_CHARS else f"#{hashlib.sha256(text.encode()).hexdigest()}"[:_DIGEST_CHARS]
    )


def visible_to(generation: str) -> dict[str, object]:
    """The rows of one generation."""
    number = generation_number(generation)
    return {BORN: {"$lte": number}, DIED: {"$gt": number}}


def visible_to_none(generations: Collection[str]) -> Where:
    """The rows that none of these generations has; at least one generation is required."""
    unseen = [
        {"$or": [{BORN: {"$gt": number}}, {DIED: {"$lte": number}}]} for number in map(generation_number, generations)
    ]
    return unseen[0] if len(unseen) == 1 else {"$and": unseen}


def ended_behind(generation: str) -> Where:
    """The rows ended by a generation that was never published or is deleted."""
    return {DIED: {"$gt": generation_number(generation), "$lt": NEVER}}


def alive_before(generation: str, ids: Sequence[str]) -> Where:
    """The rows of records that no generation has ended yet, except the rows of this generation."""
    return {RECORD: {"$in": list(ids)}, BORN: {"$lt": generation_number(generation)}, DIED: {"$eq": NEVER}}


def named(generation: str, ids: Iterable[str]) -> Where:
    """The rows of records in a generation."""
    return {**visible_to(generation), RECORD: {"$in": list(ids)}}


def dealt(generation: str, low: int, high: int) -> Where:
    """The rows of a generation in some of the buckets, excluding `high`."""
    return {**visible_to(generation), BUCKET: {"$gte": low, "$lt": high}}


def matching(generation: str, where: Filter) -> Where:
    """The rows of a generation that a query may find."""
    where = canonical(where)
    clauses: list[dict[str, object]] = [{HIDDEN: {"$eq": False}}]
    if where.path_prefix:
        clauses.append({DIRECTORIES: _any_of([where.path_prefix])})
    if where.directories:
        clauses.append({DIRECTORIES: _any_of(where.directories)})
    clauses += [{TAGS: _any_of([tag])} for tag in where.tags]
    clauses += [{LABELS: _any_of(group)} for group in groups_of(where)]
    return {"$and": [visible_to(generation), *clauses]}


def _any_of(texts: Iterable[str]) -> dict[str, list[str]]:
    """Both spellings of each: the row of a page with a great many of them keeps the shorter one."""
    stored = [storable(text) for text in texts]
    return {"$in": list(dict.fromkeys([*stored, *map(shortest_of, stored)]))}
