"""What of a row is refused, each with the sentence of the documentation that says so."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from tests.extensions.pinecone.server.refused import Refused, demand

# docs: reference/api/database-limits/operation-limits
MAX_ROWS = 1000  # "Max documents per upsert request: 1,000"; vectors: "1,000 records, up to 2 MB total"
MAX_BODY_BYTES = 2 * 1024 * 1024  # "Max document upsert request size: 2 MB"
MAX_IDS = 1000  # "can name up to 1,000 IDs"; "IDs of the records to fetch. Maximum of 1000"
MAX_TOP_K = 10_000  # "Max top_k value: 10,000"
MAX_ANSWER_BYTES = 4 * 1024 * 1024  # "Max result size: 4MB"
MAX_PAGE = 10_000  # of a fetch by filter
MAX_LIST_PAGE = 100
MAX_METADATA_BYTES = 40 * 1024  # "Pinecone supports 40kb of metadata per vector"; full-text fields are not counted
MAX_ID_CHARS = 512  # database-limits/identifier-limits: ASCII without \0
MAX_NAMESPACE_CHARS = 512
MAX_FIELD_BYTES = 64  # "Field names must be unique, at most 64 bytes, and must not start with _ or $"
MAX_DIMENSIONS = 20_000  # "Max dimensionality for dense vectors is 20,000"


def check_size(body: bytes) -> None:
    """ "Max size for an upsert request is 2MB": a larger one is answered with 413."""
    if len(body) > MAX_BODY_BYTES:
        raise Refused(413, f"Request body of {len(body)} bytes exceeds the limit of {MAX_BODY_BYTES}", "OUT_OF_RANGE")


def check_count(rows: Sequence[Any], what: str, limit: int = MAX_ROWS) -> None:
    demand(isinstance(rows, list) and len(rows) > 0, f"{what} must not be empty")
    demand(len(rows) <= limit, f"The number of {what} ({len(rows)}) exceeds the limit of {limit}")


def check_id(row_id: object) -> str:
    """Identifier limits: "Record: 512 characters, ASCII except \\0, cannot be empty"."""
    demand(isinstance(row_id, str) and bool(re.fullmatch(r"[\x01-\x7f]{1,512}", row_id)), f"ID {row_id!r:.80} is bad")
    return str(row_id)


def check_namespace(name: str) -> str:
    """Identifier limits: "Namespace: 512 characters, ASCII except \\0"."""
    demand(bool(re.fullmatch(r"[\x01-\x7f]{1,512}", name)), f"Namespace {name!r:.80} is bad")
    return name


def check_vector(values: object, dimension: int) -> list[float]:
    demand(isinstance(values, list) and all(type(value) in (int, float) for value in values), "Vector must be numbers")
    assert isinstance(values, list)
    demand(
        len(values) == dimension,
        f"Vector dimension {len(values)} does not match the dimension of the index {dimension}",
    )
    demand(all(map(math.isfinite, values)), "Vector values must be finite")
    # docs: reference/limits
    demand(any(values), "Dense vectors must contain at least one non-zero value")
    return values


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Flat JSON: "String, Number, Booleans, List of String"."""
    for name, value in metadata.items():
        demand(
            0 < len(name.encode()) <= MAX_FIELD_BYTES and name[0] not in "_$",
            f"Field name {name!r:.80} must have at most {MAX_FIELD_BYTES} bytes and not start with _ or $",
        )
        # docs: reference/api/known-limitations
        demand(value is not None, f"Null metadata values aren't supported: remove the key {name!r}")
        demand(not isinstance(value, dict), f"Nested JSON objects are not supported: {name!r}")
        is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
        demand(
            is_list or isinstance(value, str | int | float | bool),
            f"Metadata value must be a string, number, boolean or list of strings, got {value!r:.60} for {name!r}",
        )
        demand(not isinstance(value, float) or math.isfinite(value), f"{name!r} is not a number of JSON")
    size = len(orjson.dumps(metadata))
    demand(
        size <= MAX_METADATA_BYTES, f"Metadata size is {size} bytes, which exceeds the limit of {MAX_METADATA_BYTES}"
    )


def check_whole(name: str, value: object, low: int, high: int) -> int:
    demand(type(value) is int and low <= value <= high, f"{name} must be between {low} and {high}, got {value!r:.40}")
    assert isinstance(value, int)
    return value


def check_keys(body: object, allowed: set[str]) -> dict[str, Any]:
    """A strict reader: what it does not know is a mistake of whoever sends it."""
    demand(isinstance(body, dict), "The body must be an object")
    assert isinstance(body, dict)
    demand(body.keys() <= allowed, f"Unknown field {min(body.keys() - allowed, default='')!r}")
    return body


def check_index_name(name: str) -> None:
    """ "1-45 characters long, start and end with an alphanumeric character, only lower case alphanumeric or '-'"."""
    demand(bool(re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,43}[a-z0-9])?", name)), f"Index name {name!r:.80} is bad")
