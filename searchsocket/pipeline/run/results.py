"""Results of the stages of a run (spec 17, 21)."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from searchsocket.pipeline.run.numbers import Numbers


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


N = TypeVar("N", bound=Numbers, covariant=True)
K = TypeVar("K", bound=Numbers)


MAX_SKIPPED = 100  # that a stage names


class Skipped(NamedTuple):
    """Skipped page."""

    page: str  # a URL, or a file of the source that is the page of none
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult(Generic[N]):
    """Result of one stage."""

    stage: str = ""  # its name, once it has ended
    total: int  # what the stage is about: pages, chunks, vectors, records
    numbers: N
    version: str  # digest of the stage's output: equal versions mean equal outputs
    seconds: float = 0.0
    facts: Mapping[str, str] = field(default_factory=dict)  # what it worked on or made, by name, the first one first
    skipped: Sequence[Skipped] = ()  # at most `MAX_SKIPPED`
    skip_reasons: Mapping[str, int] = field(default_factory=dict)  # of all that were skipped
    warnings: tuple[str, ...] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)  # title -> rows for people
    preview: str = ""  # Markdown for people
    generation: str = ""  # the live generation after the stage, where the stage publishes


def result_of(report: Mapping[str, Any], kind: type[K]) -> StageResult[K]:
    """A stage's result from the report on record."""
    skipped = [Skipped(*each) for each in report.get("skipped", ())]
    warnings = tuple(report["warnings"])
    values = {**report, "numbers": kind.of(report["numbers"]), "skipped": skipped, "warnings": warnings}
    return StageResult(**values)
