"""The library's words in Dagster's: results, plans, checks, errors and events."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg

from searchsocket.errors import Interrupted, SearchSocketError
from searchsocket.events import Event, OnEvent, ignore
from searchsocket.pipeline.run.checks import CheckOutcome
from searchsocket.pipeline.run.results import IndexSummary, StageResult

STAGE_FAILED = "stage_failed"
_PREVIEW_CHARS = 4000
_WARNINGS_SHOWN = 50
_EVENTS_LOGGED = 5  # of each name: Dagster's log is a database, a line for each of 10,000 pages would be most of a run


def materialized(result: StageResult[Any]) -> dg.MaterializeResult[None]:
    """A stage's result as a materialization; its numbers stay plain, so that Dagster plots them."""
    metadata: dict[str, Any] = {"dagster/row_count": result.total, **result.numbers.values()}
    metadata["seconds"] = round(result.seconds, 3)
    metadata["warnings"] = len(result.warnings)
    if result.warnings:
        metadata["warning_list"] = dg.MetadataValue.md(_bullets(result.warnings))
    for title, rows in result.tables.items():
        if rows:
            metadata[_key(title)] = _table(rows)
    if result.preview:
        metadata["preview"] = dg.MetadataValue.md(result.preview[:_PREVIEW_CHARS])
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(result.version))


def observed(plan: IndexSummary, asset_key: dg.AssetKey) -> dg.AssetObservation:
    """A plan as an observation: it shows beside the materializations and is none."""
    numbers: dict[str, Any] = {
        f"{group}_{key}": value
        for group in ("pages", "chunks", "embeddings", "records", "routes")
        for key, value in getattr(plan, group).items()
    }
    numbers |= {"estimated_tokens": plan.estimated_tokens, "estimated_cost_usd": plan.estimated_cost_usd}
    if plan.warnings:
        numbers["warning_list"] = dg.MetadataValue.md(_bullets(plan.warnings))
    return dg.AssetObservation(
        asset_key=asset_key, partition=plan.scope, description="Dry run: what an index run would do", metadata=numbers
    )


def checked(outcome: CheckOutcome) -> dg.AssetCheckResult:
    severity = dg.AssetCheckSeverity.WARN if outcome.severity == "warn" else dg.AssetCheckSeverity.ERROR
    return dg.AssetCheckResult(
        passed=outcome.passed, severity=severity, description=outcome.message, metadata=dict(outcome.numbers)
    )


@contextmanager
def errors_as_failures(stage: str = "", on_event: OnEvent = ignore) -> Iterator[None]:
    """Show an error of the library as its code and message; that a run was told to stop, as an interruption.

    The listener hears of a failure too: on a full disk Dagster cannot tell what failed.
    """
    try:
        yield
    except Interrupted as error:
        raise dg.DagsterExecutionInterruptedError from error
    except SearchSocketError as error:
        on_event(Event(STAGE_FAILED, {"stage": stage, "code": error.code, "message": str(error)}))
        raise dg.Failure(
            description=f"[{error.code}] {error}", metadata={"code": error.code, "message": str(error)}
        ) from error


@contextmanager
def events_logged(log: dg.DagsterLogManager, also: OnEvent) -> Iterator[OnEvent]:
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


def _table(rows: Sequence[Mapping[str, Any]]) -> dg.TableMetadataValue:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    records = [dg.TableRecord({key: _cell(row.get(key)) for key in columns}) for row in rows]
    kinds = {bool: "bool", int: "int", float: "float"}
    types = {key: kinds.get(type(records[0].data[key]), "string") for key in columns}
    schema = dg.TableSchema([dg.TableColumn(key, types[key]) for key in columns])
    return dg.MetadataValue.table(records=records, schema=schema)


def _cell(value: Any) -> str | int | float | bool | None:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _key(title: str) -> str:
    return "_".join(title.lower().split())


def _bullets(lines: Sequence[str]) -> str:
    shown = [f"- {line}" for line in lines[:_WARNINGS_SHOWN]]
    rest = len(lines) - len(shown)
    return "\n".join([*shown, f"- and {rest} more"] if rest > 0 else shown)
