"""Hashes in packs: a SHA-256 is stored as bytes, half the size of its hexadecimal digits."""

import re

_SHA256 = re.compile(r"[0-9a-f]{64}")
COLUMNS = frozenset({"content_hash", "record_hash"})


def as_stored(value: str) -> bytes | str:
    """A hash as it is stored, and compared in SQL; other text stays unchanged."""
    return bytes.fromhex(value) if _SHA256.fullmatch(value) else value


def as_text(stored: bytes | str) -> str:
    """The text of a stored hash."""
    return stored.hex() if isinstance(stored, bytes) else stored
