"""Convert check results of the library to Dagster."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import dagster as dg

from searchsocket.errors import CandidateRefused, Interrupted, SearchSocketError
from searchsocket.pipeline.run.checks import Check
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import CheckOutcome, GoldenQueriesFailed
from searchsocket.quality.checks import ALL_CHECKS, BETWEEN_RUNS, golden_queries_answered
from searchsocket_assets.run.details import Metadata, key_of, table


def outcome_of(check: Check, run: ScopeRun) -> CheckOutcome:
    """The result of a check. An error in a non-blocking check is its result, so that the other checks still run."""
    try:
        return check.run(run)
    except Interrupted:
        raise
    except SearchSocketError as error:
        if check.blocking:
            raise
        return CheckOutcome(False, f"[{error.code}] {error}")


def checked(outcome: CheckOutcome, key: dg.AssetCheckKey) -> dg.AssetCheckResult:
    """Convert the result of a check to an asset check result."""
    return dg.AssetCheckResult(asset_key=key.asset_key, check_name=key.name, **_metadata(outcome))


def refusal(
    instance: dg.DagsterInstance, failure: CandidateRefused, key: dg.AssetKey, partition: str
) -> Iterator[dg.AssetCheckEvaluation]:
    """Report a refused candidate as the result of its golden queries, if they are the reason: their check's own step
    would run after the switch.

    The other checks of the asset are reported as skipped: the live index is unchanged, and Dagster shows a planned
    check without an evaluation as failed.
    """
    golden = ALL_CHECKS[golden_queries_answered.__name__]
    target = latest_materialization(instance, key, partition)
    reported = {*BETWEEN_RUNS}
    if isinstance(failure, GoldenQueriesFailed):
        reported.add(golden.name)
        words = f"candidate {failure.generation}: {failure.outcome.message}"
        yield evaluated(replace(failure.outcome, message=words), golden, key, partition, target)
    skipped = CheckOutcome(True, "skipped: the candidate was refused; the live index did not change", severity="warn")
    for check in ALL_CHECKS.values():
        if check.stage is golden.stage and check.name not in reported:
            yield evaluated(skipped, check, key, partition, target)


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


def evaluated(
    outcome: CheckOutcome, check: Check, key: dg.AssetKey, partition: str, target: Any
) -> dg.AssetCheckEvaluation:
    """Make the evaluation of a check for a scope, outside the check's own step.

    Args:
        target: See `latest_materialization`.
    """
    metadata = _metadata(outcome)
    return dg.AssetCheckEvaluation(
        key, check.name, blocking=check.blocking, partition=partition, target_materialization_data=target, **metadata
    )


def _metadata(outcome: CheckOutcome) -> Metadata:
    tables = {key_of(title): table(rows) for title, rows in outcome.tables.items() if rows}
    severity = dg.AssetCheckSeverity.WARN if outcome.severity == "warn" else dg.AssetCheckSeverity.ERROR
    return {
        "passed": outcome.passed,
        "severity": severity,
        "description": outcome.message,
        "metadata": {**outcome.numbers, **tables},
    }
