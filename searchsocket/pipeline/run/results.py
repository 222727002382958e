"""What the stages of a run report, and the summary of a whole run (spec 17, 21)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Number = int | float


@dataclass(frozen=True, slots=True)
class StageResult:
    """What one stage did. `numbers` keep their keys from run to run, so that they can be plotted."""

    stage: str
    total: int  # what the stage is about: pages, chunks, vectors, records
    numbers: Mapping[str, Number]
    version: str  # digest of the stage's output: equal versions mean equal outputs
    seconds: float
    warnings: tuple[str, ...] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)  # title -> rows for people
    preview: str = ""  # Markdown for people
    generation: str = ""  # the live generation after the stage, where the stage publishes


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


def result_of(report: Mapping[str, Any]) -> StageResult:
    """A stage's result from the report on record."""
    return StageResult(**{**report, "warnings": tuple(report["warnings"])})


def summarise(scope: str, results: Sequence[StageResult], *, dry_run: bool = False) -> IndexSummary:
    """Put the stages' numbers together; a stage that did not run counts nothing."""
    numbers: dict[str, Number] = {}
    for result in results:
        numbers.update({f"{result.stage}.{key}": value for key, value in result.numbers.items()})

    def pick(stage: str, *keys: str) -> dict[str, int]:
        return {key: int(numbers.get(f"{stage}.{key}", 0)) for key in keys}

    pages = pick("site_pages", "found") | pick("page_mirror", "indexed", "skipped", "failed", "removed")
    # Files that the source passed over (fallbacks, second spellings) are found and skipped, so that the sum is right.
    for key in ("skipped", "failed"):
        passed_over = int(numbers.get(f"site_pages.{key}", 0))
        pages[key] += passed_over
        pages["found"] += passed_over
    index = next((result for result in results if result.stage == "search_index"), None)
    return IndexSummary(
        scope=scope,
        generation=index.generation if index else "",
        pages=pages,
        chunks=pick("page_chunks", "total", "changed"),
        embeddings=pick("chunk_embeddings", "reused", "created"),
        records=pick("search_index", "upserted", "deleted"),
        estimated_tokens=int(numbers.get("chunk_embeddings.estimated_tokens", 0)),
        estimated_cost_usd=float(numbers.get("chunk_embeddings.estimated_cost_usd", 0.0)),
        routes={
            "exact": int(numbers.get("page_mirror.routes_exact", 0)),
            "bestEffort": int(numbers.get("page_mirror.routes_best_effort", 0)),
        },
        deletion_eligible=bool(numbers.get("site_pages.deletion_eligible", 0)),
        warnings=tuple(warning for result in results for warning in result.warnings),
        seconds={result.stage: round(result.seconds, 3) for result in results},
        dry_run=dry_run,
    )
