"""What the stages of a run report, and the summary of a whole run (spec 17, 21)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult(Generic[N]):
    """What one stage did."""

    stage: str = ""  # its name, once it has ended
    total: int  # what the stage is about: pages, chunks, vectors, records
    numbers: N
    version: str  # digest of the stage's output: equal versions mean equal outputs
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)  # title -> rows for people
    preview: str = ""  # Markdown for people
    generation: str = ""  # the live generation after the stage, where the stage publishes


def result_of(report: Mapping[str, Any], kind: type[K]) -> StageResult[K]:
    """A stage's result from the report on record."""
    values = {**report, "numbers": kind.of(report["numbers"]), "warnings": tuple(report["warnings"])}
    return StageResult(**values)


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The whole run, as `searchsocket index --json` prints it."""

    scope: str
    generation: str
    pages: Mapping[str, int]
    chunks: Mapping[str, int]
    embeddings: Mapping[str, int]
    records: Mapping[str, int]
    estimated_tokens: int
    estimated_cost_usd: float
    routes: Mapping[str, int]
    deletion_eligible: bool
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        """The object with its public camelCase names."""
        names = {
            "estimated_tokens": "estimatedTokens",
            "estimated_cost_usd": "estimatedCostUsd",
            "deletion_eligible": "deletionEligible",
            "dry_run": "dryRun",
        }
        return {names.get(key, key): value for key, value in asdict(self).items()}


def summarise(scope: str, results: Sequence[StageResult[Numbers]], *, dry_run: bool = False) -> IndexSummary:
    """Put the stages' numbers together; a stage that did not run counts nothing."""
    pages, mirror = _numbers(results, PageNumbers), _numbers(results, MirrorNumbers)
    chunks, embeddings = _numbers(results, ChunkNumbers), _numbers(results, EmbeddingNumbers)
    index = _numbers(results, IndexNumbers)
    return IndexSummary(
        scope=scope,
        generation=next((result.generation for result in results if result.generation), ""),
        pages={
            # Files that the source passed over (fallbacks, second spellings) are found and skipped: the sum is right.
            "found": pages.found + pages.skipped + pages.failed,
            "indexed": mirror.indexed,
            "skipped": mirror.skipped + pages.skipped,
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
        warnings=tuple(warning for result in results for warning in result.warnings),
        seconds={result.stage: round(result.seconds, 3) for result in results},
        dry_run=dry_run,
    )


def _numbers(results: Sequence[StageResult[Numbers]], kind: type[K]) -> K:
    return next((result.numbers for result in results if isinstance(result.numbers, kind)), kind.of({}))
