"""Results of the stages of a run and of its checks (spec 17, 21)."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from searchsocket.errors import CandidateRefused
from searchsocket.pipeline.run.numbers import Number, Numbers
from searchsocket.system.json_text import JsonObject
from searchsocket.text.skipped import Skipped


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of(lines: Iterable[str]) -> str:
    """A shortened sha256 of lines in the given order, for keys and data versions."""
    total = hashlib.sha256()
    for line in lines:
        total.update(line.encode("utf-8", "surrogatepass"))
        total.update(b"\n")
    return total.hexdigest()[:32]


def lines_of(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Each row as one line, for a digest of many rows."""
    return ("\x1f".join(row) for row in rows)


N = TypeVar("N", bound=Numbers, covariant=True)
K = TypeVar("K", bound=Numbers)
Table: TypeAlias = Sequence[JsonObject]  # rows by column, for people


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult(Generic[N]):
    """Result of one stage."""

    stage: str = ""  # name of the stage, set when it has ended
    total: int  # number of its items: pages, chunks, vectors or records
    numbers: N
    version: str  # digest of the stage's output: equal versions mean equal outputs
    seconds: float = 0.0
    facts: Mapping[str, str] = field(default_factory=dict)  # input or output by name, in order
    skipped: Sequence[Skipped] = ()  # at most `MAX_SKIPPED`
    skip_reasons: Mapping[str, int] = field(default_factory=dict)  # counts of all skipped pages
    warnings: tuple[str, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)  # by title
    preview: str = ""  # Markdown for people
    generation: str = ""  # the live generation after a publishing stage


def result_of(report: JsonObject, kind: type[K]) -> StageResult[K]:
    """Make a stage's result from the recorded report."""
    skipped = [Skipped(*item) for item in report.get("skipped", ())]
    warnings = tuple(report["warnings"])
    values = {**report, "numbers": kind.of(report["numbers"]), "skipped": skipped, "warnings": warnings}
    return StageResult(**values)


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """Result of a check."""

    passed: bool
    message: str
    severity: Literal["error", "warn"] = "error"
    numbers: Mapping[str, Number] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)  # by title


class CheckRefused(CandidateRefused):
    """The new generation fails a check before the switch.

    Args:
        check: Name of the check.
        inspect: Options of `searchsocket test` that show the reason.
    """

    def __init__(self, check: str, inspect: str, scope: str, generation: str, outcome: CheckOutcome) -> None:
        super().__init__(
            f"generation {generation} of scope {scope!r} is not published: {outcome.message}; to inspect it, run "
            f"`searchsocket test {inspect} --scope {scope}`; --accept-quality-drop publishes it"
        )
        self.check = check
        self.generation = generation
        self.outcome = outcome


class GoldenQueriesFailed(CheckRefused):
    """The new generation answers the golden queries too badly."""

    def __init__(self, scope: str, generation: str, outcome: CheckOutcome) -> None:
        super().__init__("golden_queries_answered", "--generation candidate", scope, generation, outcome)
