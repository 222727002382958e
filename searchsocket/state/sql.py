"""SQL conditions that define the states of a page, and the compact form of stored hashes.

Each condition is for `pages` and has one parameter, the scope; the table in `searchsocket.state` names the states.
"""

import re

IN_SCOPE = "scope = ? AND removed = 0"
SEARCHABLE = f"{IN_SCOPE} AND skip = '' AND copy_of = '' AND extract_key != ''"
MIRRORED = f"{IN_SCOPE} AND skip = '' AND copy_of = '' AND mirror_digest != ''"
CUT = "substr(chunk_key, 1, length(mirror_digest)) = mirror_digest"  # of a mirrored page
WITH_CONTENTS = "JOIN contents ON page_id = pages.id JOIN bodies ON bodies.id = body_id"

_HASH = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


def marks(values: int) -> str:
    """Return the placeholders for a list of values."""
    return ",".join("?" * values)


def as_stored(value: str) -> bytes | str:
    """Return the value to write and compare in SQL: a hash as bytes, which halves its size; other text as text."""
    return bytes.fromhex(value) if _HASH.fullmatch(value) else value


def as_text(stored: bytes | str) -> str:
    """Return the text of a stored value."""
    return stored.hex() if isinstance(stored, bytes) else stored
