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
from searchsocket_assets.resources import Caller, IndexOptions, SiteProject
from searchsocket_assets.run.evaluations import evaluated, outcome_of
from searchsocket_assets.run.tags import tag_run
from searchsocket_assets.run.translate import errors_as_failures, events_logged

_INDEX = dg.AssetKey(search_index.name)


@dg.op(name="rollback", description="Switch the scope of the run to the generation before the live one.")
def rollback(context: dg.OpExecutionContext, site: SiteProject) -> None:
    with errors_as_failures(log=context.log):
        project = site.open()
        tag_run(context.instance, context.run, project.id, by_command=False)
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


@dg.op(name="verify", description="Ask all checks of a live index, and put what they find on its page.")
def verify(
    context: dg.OpExecutionContext, site: SiteProject, options: IndexOptions, caller: dg.ResourceParam[Caller]
) -> Iterator[dg.AssetCheckEvaluation | dg.Output[None]]:
    with errors_as_failures(log=context.log), events_logged(context.log, caller.on_event) as on_event:
        run = site.scope_run(caller, context.run, options.to_run_options(), on_event)
        tag_run(context.instance, context.run, run.project.id, by_command=False)
        failed = []
        for check in ALL_CHECKS.values():
            if check.stage.name == search_index.name:
                found = evaluated(outcome_of(check, run), check, context.partition_key)
                yield found
                if not found.passed and found.severity is dg.AssetCheckSeverity.ERROR:
                    failed.append(f"{check.name}: {found.description}")
    if failed:
        raise dg.Failure("\n".join(failed))
    yield dg.Output(None)


@dg.job(
    name="verify_scope",
    partitions_def=SCOPES,
    description="Ask a scope's live index whether all is well: its files, golden queries, links, age and branch. It "
    "fails where that is not so, and changes nothing.",
)
def verify_scope() -> None:
    verify()


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
