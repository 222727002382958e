"""Hashes as packs hold them: in half the bytes that their digits take, where they are such hashes."""

import re

_SHA256 = re.compile(r"[0-9a-f]{64}")
COLUMNS = frozenset({"content_hash", "record_hash"})


def as_stored(value: str) -> bytes | str:
    """A hash as it is kept, and compared in SQL; a text that is none stays."""
    return bytes.fromhex(value) if _SHA256.fullmatch(value) else value


def as_text(stored: bytes | str) -> str:
    """The text of what is kept."""
    return stored.hex() if isinstance(stored, bytes) else stored
