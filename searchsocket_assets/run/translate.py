"""Convert results, plans, checks, errors and events of the library to Dagster."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from types import MappingProxyType
from typing import Any, get_args, get_type_hints

import dagster as dg

from searchsocket.errors import Interrupted, SearchSocketError
from searchsocket.events import Event, OnEvent
from searchsocket.pipeline.run.checks import Check
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.report import RunFailure
from searchsocket.pipeline.run.results import CheckOutcome, Numbers, StageResult
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.quality.checks import ALL_CHECKS
from searchsocket_assets.run.details import Metadata, bullets, details, key_of, table

_EVENTS_LOGGED = 5  # per name: Dagster's log is a database, and 10,000 lines for pages would take most of a run


def materialized(
    instance: dg.DagsterInstance,
    key: dg.AssetKey,
    run: ScopeRun,
    result: StageResult[Numbers],
    times: Mapping[str, str] = MappingProxyType({}),
) -> dg.MaterializeResult[None]:
    """Convert a stage's result to the result of its asset.

    Args:
        times: When the run started and ended, ISO 8601, if that was not in this run of Dagster.
    """
    ran = {name: dg.MetadataValue.timestamp(datetime.fromisoformat(time)) for name, time in times.items()}
    metadata = {**details(instance, key, run, result), **ran}
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(result.version))


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


def checked(outcome: CheckOutcome, key: dg.AssetCheckKey) -> dg.AssetCheckResult:
    """Convert the result of a check to an asset check result."""
    return dg.AssetCheckResult(asset_key=key.asset_key, check_name=key.name, **_outcome_fields(outcome))


def evaluated(
    outcome: CheckOutcome, check: Check, key: dg.AssetKey, partition: str, target: Any
) -> dg.AssetCheckEvaluation:
    """Make the evaluation of a check for a scope, outside the check's own step.

    Args:
        target: See `latest_materialization`.
    """
    fields = _outcome_fields(outcome)
    return dg.AssetCheckEvaluation(
        key, check.name, blocking=check.blocking, partition=partition, target_materialization_data=target, **fields
    )


def latest_materialization(instance: dg.DagsterInstance, key: dg.AssetKey, partition: str) -> Any:
    """Return the materialization to which an evaluation belongs; None if there is none.

    Without it Dagster assigns the evaluation to an older materialization and lists the check as not evaluated.
    """
    records_filter = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[partition])
    for record in instance.fetch_materializations(records_filter, limit=1).records:
        # Dagster exports the field, but not its type.
        (target, _) = get_args(get_type_hints(dg.AssetCheckEvaluation)["target_materialization_data"])
        return target(run_id=record.run_id, storage_id=record.storage_id, timestamp=record.timestamp)
    return None


def evaluations(
    instance: dg.DagsterInstance, outcomes: Mapping[str, CheckOutcome], key: dg.AssetKey, partition: str
) -> Iterator[dg.AssetCheckEvaluation]:
    """The outcomes of the checks of a refused candidate, by name: the steps of the checks do not run after it."""
    target = latest_materialization(instance, key, partition)
    for name, outcome in outcomes.items():
        yield evaluated(outcome, ALL_CHECKS[name], key, partition, target)


def _outcome_fields(outcome: CheckOutcome) -> Metadata:
    tables = {key_of(title): table(rows) for title, rows in outcome.tables.items() if rows}
    severity = dg.AssetCheckSeverity.WARN if outcome.severity == "warn" else dg.AssetCheckSeverity.ERROR
    return {
        "passed": outcome.passed,
        "severity": severity,
        "description": outcome.message,
        "metadata": {**outcome.numbers, **tables},
    }


@contextmanager
def errors_as_failures(stage: str = "") -> Iterator[None]:
    """Convert an error of the library with `failure_of`, and a stopped run to an interruption."""
    try:
        yield
    except Interrupted as error:
        raise dg.DagsterExecutionInterruptedError from error
    except SearchSocketError as error:
        raise failure_of(RunFailure.of(stage, error)) from error


@contextmanager
def events_logged(log: dg.DagsterLogManager) -> Iterator[OnEvent]:
    """A listener that logs the first events of each name and the number of all."""
    counts: Counter[str] = Counter()

    def on_event(event: Event) -> None:
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
    "CANDIDATE_REFUSED": "see the check that failed, such as `golden_queries_answered`; fix the pages or the file, or "
    "launch again with `accept_quality_drop: true`",
    "RECALL_TOO_LOW": "raise the parameter that the message names, or launch again with `accept_quality_drop: true`",
    "SCOPE_LOCKED": "wait for the other run of this scope, then launch again",
    "NEWER_RELEASE": "upgrade searchsocket on this machine",
    "INDEX_CORRUPT": "launch again with `force: true`, or run `searchsocket rollback`",
}
_DOCTOR = "run `searchsocket doctor` in the project, fix what it reports, then launch again"
_AGAIN = "an external service failed; launch again, or run `searchsocket doctor` for details"


def failure_of(error: RunFailure) -> dg.Failure:
    """An error of the library as a Dagster failure."""
    setting = setting_of(error)
    step = _NEXT_STEPS.get(error.code, _AGAIN if error.retryable else _DOCTOR)
    metadata = {"code": error.code, "setting": setting, "next_step": step, "message": error.message}
    lines = [f"[{error.code}] {error.message}", f"Setting: {setting}" if setting else "", f"Next step: {step}"]
    return dg.Failure(
        description="\n".join(line for line in lines if line),
        metadata={name: text for name, text in metadata.items() if text},
    )


def setting_of(error: RunFailure) -> str:
    """The settings key that an error is about; "" if unknown."""
    if key := _SETTING.search(error.message):
        return key[0]
    if error.code == "SOURCE_UNAVAILABLE" and "://" in error.message:
        return _CRAWL_SETTING
    return _SETTINGS.get(error.code, "")
