"""Jobs over what is live: go back to the generation before, and ask whether all is well between runs."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from searchsocket.pipeline.run.rollback import roll_back
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.quality.checks import ALL_CHECKS
from searchsocket_assets.owned import about
from searchsocket_assets.partitions import NAME, SCOPES
from searchsocket_assets.resources import SiteProject
from searchsocket_assets.run.translate import errors_as_failures

_INDEX = dg.AssetKey(search_index.name)


@dg.op(name="rollback", description="Switch the scope of the run to the generation before the live one.")
def rollback(context: dg.OpExecutionContext, site: SiteProject) -> None:
    with errors_as_failures(log=context.log):
        project = site.open()
        scope = project.scope_named(context.partition_key)
        live, replaced = roll_back(project, scope, os.environ, datetime.now(UTC))
    numbers = {"records": live.records, "pages": live.pages}
    words = f"rolled back to generation {live.name}" + (f" from {replaced}" if replaced else "")
    context.log.info(words)
    context.log_event(
        dg.AssetObservation(
            _INDEX,
            partition=scope.name,
            description=words,
            metadata={"generation": live.name, "replaced": replaced, "published_at": live.published_at, **numbers},
        )
    )


@dg.job(
    name="rollback_scope",
    partitions_def=SCOPES,
    description="Go back to the generation before the live one, as `searchsocket rollback` does; the next run of "
    "`index_site` leads forth again.",
)
def rollback_scope() -> None:
    rollback()


VERIFY_SCOPE = dg.define_asset_job(
    name="verify_scope",
    selection=dg.AssetSelection.checks(
        *(
            dg.AssetCheckKey(_INDEX, check.name)
            for check in ALL_CHECKS.values()
            if check.stage.name == search_index.name
        )
    ),
    description="Ask a scope's live index whether all is well: its files, golden queries, links, age and branch.",
)


def every_scope(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
    for scope in context.instance.get_dynamic_partitions(NAME):
        yield dg.RunRequest(partition_key=scope)


def verify_schedule(job: Any, owners: Sequence[str]) -> dg.ScheduleDefinition:
    """The schedule, which is off until somebody turns it on."""
    return dg.schedule(
        job=job,
        cron_schedule="30 4 * * *",
        name="nightly_verify",
        description="Verifies every scope once a night.",
        owners=[*owners],
        tags=about("maintenance"),
    )(every_scope)
