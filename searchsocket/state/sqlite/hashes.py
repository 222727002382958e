"""Hashes as the state holds those of chunks: in half the bytes that their digits take, where they are such hashes."""

import re

_HASH = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")


def as_held(value: str) -> bytes | str:
    """A hash as it is kept, and compared in SQL; a text that is none stays."""
    return bytes.fromhex(value) if _HASH.fullmatch(value) else value


def as_text(held: bytes | str) -> str:
    """The text of what is kept."""
    return held.hex() if isinstance(held, bytes) else held
