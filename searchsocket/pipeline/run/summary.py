"""The summary of a whole run (spec 17, 21)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from searchsocket.pipeline.run.results import (
    ChunkNumbers,
    CodeNumbers,
    EmbeddingNumbers,
    IndexNumbers,
    MirrorNumbers,
    Numbers,
    PageNumbers,
    StageResult,
    Table,
)
from searchsocket.system.json_text import JsonObject, camel_case, json_fields
from searchsocket.text.skipped import Skipped
from searchsocket.web.versions.rows import VERSIONS

K = TypeVar("K", bound=Numbers)


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The whole run, as `searchsocket index --json` prints it."""

    scope: str
    generation: str
    source: Mapping[str, str]  # origin of the pages: the mode, then known facts
    pages: Mapping[str, int]
    chunks: Mapping[str, int]
    embeddings: Mapping[str, int]
    records: Mapping[str, int]
    estimated_tokens: int
    estimated_cost_usd: float
    charged_tokens: int
    charged_cost_usd: float
    expensive_pages: Table  # see `PageCost`; empty if nothing costs anything
    build_output: Table  # see `BuildOutput`
    routes: Mapping[str, int]
    versions: Table  # of the documentation, see `version_rows`; empty on most sites
    deletion_eligible: bool
    skipped: Sequence[Skipped]  # the first few of each stage
    skip_reasons: Mapping[str, int]
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]
    dry_run: bool = False

    @property
    def is_incomplete(self) -> bool:
        """Return True if more than one in a hundred texts has no vector."""
        embeddings = self.embeddings
        total = embeddings["reused"] + embeddings["created"] + embeddings["leftOut"]
        return 100 * embeddings["leftOut"] > total

    def to_json(self) -> JsonObject:
        """The object with its public camelCase names."""
        values = {**json_fields(self), "skipped": [page._asdict() for page in self.skipped]}
        for table in ("expensivePages", "buildOutput"):
            values[table] = [{camel_case(key): row[key] for key in row} for row in values[table]]
        return values


def summarise(scope: str, results: Sequence[StageResult[Numbers]], *, dry_run: bool = False) -> IndexSummary:
    """Combine the numbers of the stages; a stage that did not run counts 0."""
    pages, mirror = _numbers(results, PageNumbers), _numbers(results, MirrorNumbers)
    chunks, embeddings = _numbers(results, ChunkNumbers), _numbers(results, EmbeddingNumbers)
    code, index = _numbers(results, CodeNumbers), _numbers(results, IndexNumbers)
    origin = origin_of_pages(results)
    return IndexSummary(
        scope=scope,
        generation=next((result.generation for result in results if result.generation), ""),
        source=origin.source,
        pages={
            "found": pages.found,
            "indexed": mirror.indexed + code.indexed,
            "skipped": mirror.pages_skipped + pages.files_skipped + code.files_skipped,
            "failed": mirror.failed + pages.failed + code.failed,
            "removed": mirror.removed + code.removed,
        },
        chunks={"total": chunks.total, "changed": chunks.changed},
        embeddings={
            "reused": embeddings.reused,
            "created": embeddings.created,
            "cut": embeddings.cut,
            "leftOut": embeddings.left_out,
        },
        records={"upserted": index.upserted, "deleted": index.deleted},
        estimated_tokens=embeddings.estimated_tokens,
        estimated_cost_usd=float(embeddings.estimated_cost_usd),
        charged_tokens=embeddings.charged_tokens,
        charged_cost_usd=float(embeddings.charged_cost_usd),
        expensive_pages=_table(results, "Most expensive pages"),
        build_output=_table(results, "Looks like build output"),
        routes={"exact": mirror.routes_exact, "bestEffort": mirror.routes_best_effort},
        versions=_table(results, VERSIONS),
        deletion_eligible=bool(pages.deletion_eligible),
        skipped=origin.skipped,
        skip_reasons=origin.skip_reasons,
        warnings=tuple(warning for result in results for warning in result.warnings),
        seconds={result.stage: round(result.seconds, 3) for result in results},
        dry_run=dry_run,
    )


def _table(results: Sequence[StageResult[Numbers]], title: str) -> Table:
    return next((result.tables[title] for result in results if title in result.tables), ())


def _numbers(results: Sequence[StageResult[Numbers]], kind: type[K]) -> K:
    return next((result.numbers for result in results if isinstance(result.numbers, kind)), kind.of({}))


@dataclass(frozen=True, slots=True)
class PagesOrigin:
    """The source of a scope's pages, and the skipped pages."""

    source: Mapping[str, str]  # see `SourceOrigin.facts`
    skipped: Sequence[Skipped]  # the first few of each stage
    skip_reasons: Mapping[str, int]  # counts of all skipped pages


def origin_of_pages(results: Sequence[StageResult[Numbers]]) -> PagesOrigin:
    """Collect the origin from the stages' results; empty for stages that did not run."""
    return PagesOrigin(
        source=next((result.facts for result in results if isinstance(result.numbers, PageNumbers)), {}),
        skipped=[page for result in results for page in result.skipped],
        skip_reasons=dict(sum((Counter(result.skip_reasons) for result in results), Counter[str]())),
    )
