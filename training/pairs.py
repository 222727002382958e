"""Reads the file of (query, passage) pairs: one JSON object a line, xz-compressed."""

import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

# Sites that the model is judged on; a pair from one of them would make the judgement worthless.
EVALUATION_SITES = (
    "svelte", "astro", "dagster", "fastapi", "vue", "react.dev", "vitejs", "eslint", "opentelemetry", "powershell",
)  # fmt: skip


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


def sample(pairs: Sequence[Pair], shares: Mapping[str, float]) -> list[Pair]:
    """Keep `shares[kind]` of the pairs of each kind, chosen by checksum; all pairs of a kind without a share."""
    return [pair for pair in pairs if _checksum(pair) % 1000 < 1000 * shares.get(pair.kind, 1)]


def _checksum(pair: Pair) -> int:
    return crc32(f"{pair.query}\0{pair.passage}".encode("utf-8", "replace"))
