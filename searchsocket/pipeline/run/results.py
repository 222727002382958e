"""Results of the stages of a run and of its checks, and the public names of their counts (spec 17, 21).

Reports, Dagster's plots and `index --json` use these names.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Generic, Literal, Self, TypeAlias, TypeVar

from searchsocket.errors import CandidateRefused
from searchsocket.system.json_text import JsonObject
from searchsocket.text.skipped import Skipped

Number = int | float


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one stage, one field per number."""

    @classmethod
    def of(cls, values: Mapping[str, Number]) -> Self:
        """Read recorded numbers; an older version may have recorded fewer, which then count as 0."""
        defaults = {field.name: 0 if field.default is MISSING else field.default for field in fields(cls)}
        return cls(**{name: values.get(name, default) for name, default in defaults.items()})

    def values(self) -> dict[str, Number]:
        """Name to number, in the order of the fields; numbers that were not counted are left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class PageNumbers(Numbers):
    """Numbers of `site_pages`. `found` counts everything that may be a page: pages, skipped files and failures."""

    found: int
    changed: int
    unchanged: int
    files_skipped: int  # by the source: fallbacks, duplicate addresses
    failed: int
    gone: int
    deletion_eligible: int  # 1: the source was read completely


@dataclass(frozen=True, slots=True)
class MirrorNumbers(Numbers):
    """Numbers of `page_mirror`, in pages."""

    indexed: int
    extracted: int
    reused: int  # copied from another scope
    written: int
    unchanged: int
    removed: int
    pages_skipped: int  # because of their content: noindex, redirects, no text
    failed: int
    routes_exact: int
    routes_best_effort: int
    routes_none: int


@dataclass(frozen=True, slots=True)
class ChunkNumbers(Numbers):
    """Numbers of `page_chunks`."""

    total: int
    changed: int
    pages_cut: int
    pages_kept: int


@dataclass(frozen=True, slots=True)
class EmbeddingNumbers(Numbers):
    """Numbers of `chunk_embeddings`, in distinct texts."""

    unique_texts: int
    created: int
    reused: int
    estimated_tokens: int
    estimated_cost_usd: float
    charged_tokens: int  # as reported by the provider
    charged_cost_usd: float
    dimensions: int
    cut: int = 0  # to what the provider takes
    left_out: int = 0  # without a vector, as the provider refused them


@dataclass(frozen=True, slots=True)
class IndexNumbers(Numbers):
    """Numbers of `search_index`, in records."""

    records: int
    pages: int
    upserted: int
    deleted: int
    unchanged: int
    published: int  # 1: a new generation is live
    generation_cost_usd: float | None = None  # estimated cost of its new embeddings
    replaced_age_hours: float | None = None  # how long the replaced generation was live
    golden_queries: int | None = None  # queries with an expectation; None: there are none, or nothing was published
    golden_recall: float | None = None
    golden_mrr10: float | None = None
    golden_ndcg10: float | None = None
    vector_recall10: float | None = None  # of the live generation; None: its vector index is exact


@dataclass(frozen=True, slots=True)
class CodeNumbers(ChunkNumbers):
    """Numbers of `code_chunks`: the pages are source files."""

    indexed: int
    files_skipped: int  # because of their content: binaries
    failed: int
    removed: int


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
