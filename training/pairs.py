"""Reads the file of (query, passage) pairs: one JSON object a line, xz-compressed."""

import json
import lzma
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pair:
    """A short text, and the passage that answers it."""

    kind: str
    query: str
    passage: str
    repo: str
    licence: str


def read_pairs(path: Path) -> list[Pair]:
    """All pairs of `path`, in order."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [Pair(**json.loads(line)) for line in file]
