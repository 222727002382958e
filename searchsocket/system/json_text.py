"""The type of a JSON object, its names, the line of a JSON log, and repair of JSON with half a surrogate pair."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]  # parsed, or to be written
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)


def camel_case(name: str) -> str:
    """Convert `first_line` to `firstLine`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def json_fields(item: Any) -> JsonObject:
    """Return the fields of a dataclass by their names in JSON."""
    return {camel_case(name): value for name, value in asdict(item).items()}


def json_line(level: str, fields: Mapping[str, object], time: datetime | None = None) -> str:
    """Return one line of a log as a JSON object with `time` (default: now), `level` and these fields."""
    at = (time or datetime.now(UTC)).isoformat(timespec="milliseconds")
    return json.dumps({"time": at, "level": level, **fields}, ensure_ascii=False, default=str)


def without_lone_surrogates(json_text: bytes) -> bytes:
    """Replace each escaped half of a surrogate pair, as JavaScript writes a cut emoji, by U+FFFD.

    Strict parsers refuse the whole text because of one half.
    """
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], json_text)
