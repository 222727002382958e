"""The last searches of the command line, in the state folder, for `searchsocket test --record`."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.system.files import replacing
from searchsocket.system.json_text import JsonObject

if TYPE_CHECKING:
    from searchsocket.quality.golden import Searched

FILE = "searched.jsonl"
_MAX_ROWS = 50
_PLACES = 3


def note_search(state_dir: Path, query: str, scope: str, places: Sequence[str]) -> None:
    """Store a search; do nothing if the folder is missing or cannot be written."""
    path = state_dir / FILE
    line = json.dumps({"query": query, "scope": scope, "places": places[:_PLACES]}, ensure_ascii=False)
    with suppress(OSError, UnicodeError):
        if not state_dir.is_dir():
            return
        lines = [] if path.is_symlink() or not path.exists() else path.read_text(encoding="utf-8").splitlines()
        text = "".join(f"{each}\n" for each in [*lines[1 - _MAX_ROWS :], line])
        with replacing(path, state_dir, durable=False, mode=0o600) as file:  # a link is replaced, not followed
            file.write(text.encode())


def read_recent_searches(state_dir: Path) -> "list[Searched]":
    """Return the stored searches, the oldest first; invalid lines are left out."""
    from searchsocket.quality.golden import Searched

    try:
        lines = (state_dir / FILE).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        return []
    rows = []
    for line in lines:
        with suppress(ValueError, TypeError, KeyError):
            row: JsonObject = json.loads(line)
            rows.append(Searched(str(row["query"]), str(row["scope"]), tuple(map(str, row["places"]))))
    return rows
