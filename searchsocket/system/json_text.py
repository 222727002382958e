"""The type of a JSON object, and the line of a JSON log."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]  # parsed, or to be written


def json_line(level: str, fields: Mapping[str, object], time: datetime | None = None) -> str:
    """Return one line of a log as a JSON object with `time` (default: now), `level` and these fields."""
    at = (time or datetime.now(UTC)).isoformat(timespec="milliseconds")
    return json.dumps({"time": at, "level": level, **fields}, ensure_ascii=False, default=str)
