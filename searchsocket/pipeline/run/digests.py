"""Digests over many rows, in constant memory."""

import hashlib
from collections.abc import Iterable, Iterator


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of(lines: Iterable[str]) -> str:
    """sha256 over lines in the order given; a short form, for keys and data versions."""
    total = hashlib.sha256()
    for line in lines:
        total.update(line.encode("utf-8", "surrogatepass"))
        total.update(b"\n")
    return total.hexdigest()[:32]


def lines_of(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Each row as one line, for a digest over many."""
    return ("\x1f".join(row) for row in rows)
