"""An index as another release wrote it, which this one does not read."""

import hashlib
import json
from pathlib import Path

from searchsocket.stores.local.layout import OLDER_FORMATS

UNREADABLE = min(OLDER_FORMATS) - 1


def make_older(index: Path, scope: str = "main") -> None:
    """Turn the live generation of a scope into one of a format that is no longer read."""
    set_format(index, scope, UNREADABLE)


def set_format(index: Path, scope: str, number: int) -> None:
    """Turn the live generation of a scope into one of this format."""
    folder = index / scope / (index / scope / "CURRENT").read_text().splitlines()[0]
    path = folder / "manifest.json"
    data = json.loads(path.read_bytes())
    del data["sha256"]
    data["format"] = number
    data["sha256"] = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    path.write_text(json.dumps(data))
