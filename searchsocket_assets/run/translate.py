"""The library's words in Dagster's: results, plans, checks, errors and events."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg

from searchsocket.errors import Interrupted, SearchSocketError
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import Stage
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket_assets.run.details import bullets, details
from searchsocket_assets.run.failures import failure_of
from searchsocket_assets.run.sample_queries import sample_metadata

STAGE_FAILED = "stage_failed"
_EVENTS_LOGGED = 5  # of each name: Dagster's log is a database, a line for each of 10,000 pages would be most of a run


def materialized(
    instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Any]
) -> dg.MaterializeResult[None]:
    """A stage's result as what its asset returns."""
    return dg.MaterializeResult(
        metadata=_metadata(instance, key, run, result), data_version=dg.DataVersion(result.version)
    )


def reported(
    instance: dg.DagsterInstance, stage: Stage[Any], key: dg.AssetKey, run: ScopeRun, result: StageResult[Any]
) -> dg.AssetMaterialization:
    """A stage's result as an event of a run that is not the asset's own, with the tags that Dagster would give it."""
    versions = {"dagster/data_version": result.version, "dagster/code_version": stage.version}
    metadata = _metadata(instance, key, run, result)
    return dg.AssetMaterialization(key, partition=run.scope.name, metadata=metadata, tags=versions)


def _metadata(
    instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Any]
) -> dict[str, Any]:
    is_searched = result.generation and run.corpus.has_checks
    return details(run, result, sample_metadata(instance, key, run, result) if is_searched else {})


def observed(plan: IndexSummary, asset_key: dg.AssetKey) -> dg.AssetObservation:
    """A plan as an observation: it shows beside the materializations and is none."""
    numbers: dict[str, Any] = {
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
    """Show an error of the library as `failures` says it; that a run was told to stop, as an interruption.

    The listener hears of a failure too: on a full disk Dagster cannot tell what failed.
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
    seen: Counter[str] = Counter()

    def on_event(event: Event) -> None:
        also(event)
        if event.name == "progress":  # for a progress bar
            return
        seen[event.name] += 1
        if seen[event.name] <= _EVENTS_LOGGED:
            log.info(" ".join([event.name, *(f"{key}={value}" for key, value in event.fields.items())]))

    yield on_event
    for name, count in seen.items():
        if count > _EVENTS_LOGGED:
            log.info(f"{name}: {count} in all, the first {_EVENTS_LOGGED} are shown")
