"""Convert results, plans, checks, errors and events of the library to Dagster."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

import dagster as dg

from searchsocket.errors import Interrupted, SearchSocketError
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.queries import NoVector, QueryVectors
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.numbers import Numbers
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.search.query import SearchQuery
from searchsocket.types import Vector
from searchsocket_assets.run.details import Metadata, bullets, details, table

if TYPE_CHECKING:
    from searchsocket.search.engine import SearchEngine


STAGE_FAILED = "stage_failed"
_EVENTS_LOGGED = 5  # per name: Dagster's log is a database, and 10,000 lines for pages would take most of a run
SAMPLES = "sample_queries"  # key of the metadata
_PAGES = 3
_MAX_SECONDS = 2.0  # for all of them
_MAX_CHARS = 80


def materialized(
    instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Numbers]
) -> dg.MaterializeResult[None]:
    """Convert a stage's result to the result of its asset."""
    return dg.MaterializeResult(
        metadata=_metadata(instance, key, run, result), data_version=dg.DataVersion(result.version)
    )


def reported(
    instance: dg.DagsterInstance, stage: AnyStage, key: dg.AssetKey, run: ScopeRun, result: StageResult[Numbers]
) -> dg.AssetMaterialization:
    """A stage's result as an event of a run that is not the asset's own, with the same tags as from Dagster."""
    versions = {"dagster/data_version": result.version, "dagster/code_version": stage.version}
    metadata = _metadata(instance, key, run, result)
    return dg.AssetMaterialization(key, partition=run.scope.name, metadata=metadata, tags=versions)


def _metadata(instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Numbers]) -> Metadata:
    is_searched = result.generation and run.corpus.has_checks
    return details(run, result, sample_metadata(instance, key, run, result) if is_searched else {})


def observed(plan: IndexSummary, asset_key: dg.AssetKey) -> dg.AssetObservation:
    """A plan as an observation, which Dagster shows next to materializations."""
    numbers: Metadata = {
        f"{group}_{key}": value
        for group in ("pages", "chunks", "embeddings", "records", "routes")
        for key, value in getattr(plan, group).items()
    }
    numbers |= {"estimated_tokens": plan.estimated_tokens, "estimated_cost_usd": plan.estimated_cost_usd}
    if plan.warnings:
        numbers["warning_list"] = dg.MetadataValue.md(bullets(plan.warnings))
    return dg.AssetObservation(
        asset_key=asset_key, partition=plan.scope, description="Dry run: plan of an index run", metadata=numbers
    )


@contextmanager
def errors_as_failures(stage: str = "", on_event: OnEvent = ignore) -> Iterator[None]:
    """Convert an error of the library with `failure_of`, and a stopped run to an interruption.

    The listener gets the failure too: on a full disk Dagster cannot report it.
    """
    try:
        yield
    except Interrupted as error:
        raise dg.DagsterExecutionInterruptedError from error
    except SearchSocketError as error:
        on_event(Event(STAGE_FAILED, {"stage": stage, "code": error.code, "message": str(error)}))
        raise failure_of(error) from error


@contextmanager
def events_logged(log: dg.DagsterLogManager, also: OnEvent = ignore) -> Iterator[OnEvent]:
    """A listener that passes every event on, and logs the first of each name and the number of all."""
    counts: Counter[str] = Counter()

    def on_event(event: Event) -> None:
        also(event)
        if event.name == "progress":  # for a progress bar
            return
        counts[event.name] += 1
        if counts[event.name] <= _EVENTS_LOGGED:
            log.info(" ".join([event.name, *(f"{key}={value}" for key, value in event.fields.items())]))

    yield on_event
    for name, count in counts.items():
        if count > _EVENTS_LOGGED:
            log.info(f"{name}: {count} in all, the first {_EVENTS_LOGGED} are shown")


# A settings key in a message.
_SETTING = re.compile(
    r"\b(?:project|scope|source|routes|extract|transform|chunking|embeddings|costs|vector|ranking|golden|artifacts|run|state|dagster)"
    r"(?:\.[a-z][a-z_]*)+\b"
)
_SETTINGS = {  # code -> setting to show if the message contains none
    "SOURCE_UNAVAILABLE": "source",
    "ROUTES_NOT_EXACT": "routes.strict",
    "EMBEDDING_MODEL_MISMATCH": "embeddings.provider",
    "BUDGET_EXCEEDED": "costs.budget",
    "CANDIDATE_REFUSED": "golden",
    "RECALL_TOO_LOW": "vector.min_recall",
    "EMBEDDER_UNAVAILABLE": "embeddings",
    "EMBEDDER_REFUSED": "embeddings",
    "VECTOR_BACKEND_UNAVAILABLE": "vector",
    "CLUSTER_UNAVAILABLE": "run.dask_address",
    "ARTIFACTS_UNAVAILABLE": "artifacts.url",
}
_CRAWL_SETTING = "source.crawl.base_url"
_NEXT_STEPS = {
    "LARGE_DELETION": "check the source; if that is intended, launch again with `accept_large_deletion: true`",
    "BUDGET_EXCEEDED": "check a dry run, then raise the budget or index less",
    "EMBEDDING_MODEL_MISMATCH": "launch again with `force: true` to migrate the scope",
    "ROUTES_NOT_EXACT": "fix the pages in the message, or launch without `strict_routes`",
    "CANDIDATE_REFUSED": "see the check `golden_queries_answered`; fix the pages or the file, or launch again "
    "with `accept_quality_drop: true`",
    "RECALL_TOO_LOW": "raise the parameter that the message names, or launch again with `accept_quality_drop: true`",
    "SCOPE_LOCKED": "wait for the other run of this scope, then launch again",
    "INDEX_CORRUPT": "launch again with `force: true`, or run `searchsocket rollback`",
}
_DOCTOR = "run `searchsocket doctor` in the project, fix what it reports, then launch again"
_AGAIN = "an external service failed; launch again, or run `searchsocket doctor` for details"


def failure_of(error: SearchSocketError) -> dg.Failure:
    """An error of the library as a Dagster failure."""
    setting = setting_of(error)
    step = _NEXT_STEPS.get(error.code, _AGAIN if error.retryable else _DOCTOR)
    metadata = {"code": error.code, "setting": setting, "next_step": step, "message": str(error)}
    lines = [f"[{error.code}] {error}", f"Setting: {setting}" if setting else "", f"Next step: {step}"]
    return dg.Failure(
        description="\n".join(line for line in lines if line),
        metadata={name: text for name, text in metadata.items() if text},
    )


def setting_of(error: SearchSocketError) -> str:
    """The settings key that an error is about; "" if unknown."""
    if key := _SETTING.search(str(error)):
        return key[0]
    if error.code == "SOURCE_UNAVAILABLE" and "://" in str(error):
        return _CRAWL_SETTING
    return _SETTINGS.get(error.code, "")


def sample_metadata(
    instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Numbers]
) -> Metadata:
    """The sample queries of the live generation after the stage; they run again only for a new generation."""
    records_filter = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[run.scope.name])
    for record in instance.fetch_materializations(records_filter, limit=1).records:
        before = record.asset_materialization.metadata if record.asset_materialization else {}
        if SAMPLES in before and "generation" in before and before["generation"].value == result.generation:
            return {SAMPLES: before[SAMPLES]}
    rows = sample_answers(run)
    return {SAMPLES: table(rows)} if rows else {}


def sample_answers(run: ScopeRun) -> Sequence[Mapping[str, object]]:
    """Search for the titles of some pages in the live generation, and return the first result of each.

    The pages are spread over the site, and the same while the site is the same. A remote model is not called: such
    queries use words only. A failed query shows its error code, since the generation is live anyway.
    """
    engine, began = _engine(run), perf_counter()
    rows: list[Mapping[str, object]] = []
    for title in _titles(run):
        if perf_counter() - began > _MAX_SECONDS:
            break
        try:
            first = next(iter(engine.search(SearchQuery(title, top_k=1), run.scope).results), None)
        except SearchSocketError as error:
            rows.append({"query": title, "first_result": error.code, "score": None})
        else:
            score = round(first.score, 3) if first else None
            rows.append({"query": title, "first_result": first.url if first else "nothing", "score": score})
    return rows


def _titles(run: ScopeRun) -> list[str]:
    with run.state.open(run.scope.name) as state:
        titles = [state.mirror.page(page_id).extract.title for page_id in state.mirror.spread(_PAGES)]
    return [" ".join(title.split())[:_MAX_CHARS] for title in titles]


class _OnThisMachine(QueryVectors):
    """Query vectors without remote calls."""

    def vector(self, embedder: Embedder, text: str, *, anonymous: bool = False) -> Vector | NoVector:
        return NoVector.OVER_BUDGET if embedder.is_remote else super().vector(embedder, text, anonymous=anonymous)


def _engine(run: ScopeRun) -> "SearchEngine":
    from searchsocket.search.engine import SearchEngine  # heavy; only a run that publishes needs it

    queries = _OnThisMachine(run.backends.embedder_of)
    ranking, curation = run.project.settings.ranking, run.backends.curation
    return SearchEngine(run.backends.store, queries, ranking, run.clock, curation=curation)
