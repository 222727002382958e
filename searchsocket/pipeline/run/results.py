"""What the stages of a run report, and the summary of a whole run (spec 17, 21)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from searchsocket.pipeline.run.numbers import (
    ChunkNumbers,
    EmbeddingNumbers,
    IndexNumbers,
    MirrorNumbers,
    Numbers,
    PageNumbers,
)

N = TypeVar("N", bound=Numbers, covariant=True)
K = TypeVar("K", bound=Numbers)


MAX_SKIPPED = 100  # that a stage names


class Skipped(NamedTuple):
    """What is not searched."""

    page: str  # a URL, or a file of the source that is the page of none
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult(Generic[N]):
    """What one stage did."""

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


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The whole run, as `searchsocket index --json` prints it."""

    scope: str
    generation: str
    source: Mapping[str, str]  # where the pages come from: the mode, then what is known of it
    pages: Mapping[str, int]
    chunks: Mapping[str, int]
    embeddings: Mapping[str, int]
    records: Mapping[str, int]
    estimated_tokens: int
    estimated_cost_usd: float
    routes: Mapping[str, int]
    deletion_eligible: bool
    skipped: Sequence[Skipped]  # the first of each stage
    skip_reasons: Mapping[str, int]
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        """The object with its public camelCase names."""
        names = {
            "estimated_tokens": "estimatedTokens",
            "estimated_cost_usd": "estimatedCostUsd",
            "deletion_eligible": "deletionEligible",
            "skip_reasons": "skipReasons",
            "dry_run": "dryRun",
        }
        values = {**asdict(self), "skipped": [each._asdict() for each in self.skipped]}
        return {names.get(key, key): value for key, value in values.items()}


@dataclass(frozen=True, slots=True)
class PagesOrigin:
    """Where the pages of a scope came from, and what is left out of them."""

    source: Mapping[str, str]
    skipped: Sequence[Skipped]
    skip_reasons: Mapping[str, int]


def origin_of_pages(results: Sequence[StageResult[Numbers]]) -> PagesOrigin:
    """The origin as the stages tell it, nothing of it where they did not run."""
    return PagesOrigin(
        source=next((result.facts for result in results if isinstance(result.numbers, PageNumbers)), {}),
        skipped=[each for result in results for each in result.skipped],
        skip_reasons=dict(sum((Counter(result.skip_reasons) for result in results), Counter[str]())),
    )


def summarise(scope: str, results: Sequence[StageResult[Numbers]], *, dry_run: bool = False) -> IndexSummary:
    """Put the stages' numbers together; a stage that did not run counts nothing."""
    pages, mirror = _numbers(results, PageNumbers), _numbers(results, MirrorNumbers)
    chunks, embeddings = _numbers(results, ChunkNumbers), _numbers(results, EmbeddingNumbers)
    index, origin = _numbers(results, IndexNumbers), origin_of_pages(results)
    return IndexSummary(
        scope=scope,
        generation=next((result.generation for result in results if result.generation), ""),
        source=origin.source,
        pages={
            "found": pages.found,
            "indexed": mirror.indexed,
            "skipped": mirror.pages_skipped + pages.files_skipped,
            "failed": mirror.failed + pages.failed,
            "removed": mirror.removed,
        },
        chunks={"total": chunks.total, "changed": chunks.changed},
        embeddings={"reused": embeddings.reused, "created": embeddings.created},
        records={"upserted": index.upserted, "deleted": index.deleted},
        estimated_tokens=embeddings.estimated_tokens,
        estimated_cost_usd=float(embeddings.estimated_cost_usd),
        routes={"exact": mirror.routes_exact, "bestEffort": mirror.routes_best_effort},
        deletion_eligible=bool(pages.deletion_eligible),
        skipped=origin.skipped,
        skip_reasons=origin.skip_reasons,
        warnings=tuple(warning for result in results for warning in result.warnings),
        seconds={result.stage: round(result.seconds, 3) for result in results},
        dry_run=dry_run,
    )


def _numbers(results: Sequence[StageResult[Numbers]], kind: type[K]) -> K:
    return next((result.numbers for result in results if isinstance(result.numbers, kind)), kind.of({}))
