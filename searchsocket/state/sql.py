"""SQL conditions that define the states of a page, and the compact form of stored hashes.

Each condition is for `pages` and has one parameter, the scope; the table in `searchsocket.state` names the states.
"""

import hashlib
import re

IN_SCOPE = "scope = ? AND removed = 0"
SEARCHABLE = f"{IN_SCOPE} AND skip = '' AND copy_of = '' AND extract_key != ''"
MIRRORED = f"{IN_SCOPE} AND skip = '' AND copy_of = '' AND mirror_digest != ''"
# Pages came, went, or changed what all pages decide together: their titles, languages, versions and links.
PAGE_SET_CHANGED = "SELECT page_set_changed FROM scopes WHERE scope = ?"
CHANGE_PAGE_SET = "UPDATE scopes SET page_set_changed = 1 WHERE scope = ?"
# Bytes of a hash in keys. With half of them, an author could search for two pages with the same key; then one scope
# would show the page of another.
KEY_BYTES = 16
CUT = f"substr(chunk_key, 1, {KEY_BYTES}) = substr(mirror_digest, 1, {KEY_BYTES})"  # of a mirrored page

EXTRACT_KEY = "key_of_extract(raw_hash, ?, url, served_url, kind)"  # of a page as it is listed; its value is `how`

_HASH = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


def marks(values: int) -> str:
    """Return the placeholders for a list of values."""
    return ",".join("?" * values)


def as_stored(value: str) -> bytes | str:
    """Return the value to write and compare in SQL: a hash as bytes, which halves its size; other text as text."""
    return bytes.fromhex(value) if _HASH.fullmatch(value) else value


def key_of_extract(raw_hash: bytes | str, how: str, url: str, served_url: str, kind: str) -> bytes:
    """Return the hash of all inputs of a page's extraction; also a function of SQL. See `extracts.extract_key`."""
    parts = (as_text(raw_hash), how, url, served_url, kind)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).digest()[:KEY_BYTES]


def as_text(stored: bytes | str) -> str:
    """Return the text of a stored value."""
    return stored.hex() if isinstance(stored, bytes) else stored
