"""Keep a project small: delete scopes with their branches, and what runs leave behind.

The sensor for deleted branches reads the current state each time and remembers nothing, so that a failed tick, or a
branch that reappears, needs no repair. Its requests have no run key, since Dagster never repeats a run key, even after
a failure.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from pydantic import Field

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.pruning import Match, PrunePlan, PruneRequest, apply_prune, plan_prune, seconds_of
from searchsocket.pipeline.branches.scopes import tidy_scopes
from searchsocket.pipeline.run.context import SITE, corpora_by_name, homes_of
from searchsocket.project.project import Project
from searchsocket.system.disk_space import Freed, compact, tidy_temporary
from searchsocket.system.json_text import JsonObject
from searchsocket_assets.discovery import named
from searchsocket_assets.jobs import INDEX_SITE, PLAN, ROLLBACK, VERIFY, index_corpus_name
from searchsocket_assets.partitions import empty_partitions_of, forget_in, own_partitions
from searchsocket_assets.resources import begin_project_run
from searchsocket_assets.run.details import Metadata, table
from searchsocket_assets.run.history import ASSET_JOB, MAX_RUNS, delete_old_runs
from searchsocket_assets.run.translate import errors_as_failures
from searchsocket_assets.site import DagsterSite

_ROUNDS = 500  # of deletions, with ten runs each


class PruneOptions(dg.Config):
    """Options of one launch of `prune_scopes`."""

    apply: bool = Field(default=False, description="Delete; without it, the run only shows what it would delete.")
    older_than: str = Field(
        default="", description="Scopes without a run for this long, such as 30d; empty: ignore age."
    )
    by_branch: bool = Field(default=True, description="Scopes whose branch no longer exists.")
    match: Match = Field(default="any", description="Delete a scope if any, or only if all, of these conditions match.")

    def request(self) -> PruneRequest:
        older_than_s = seconds_of(self.older_than) if self.older_than else None
        return PruneRequest(self.by_branch, None, older_than_s, self.match)


def prune_job(site: DagsterSite) -> dg.JobDefinition:
    """The job that deletes the scopes of deleted branches."""

    @dg.op(name=site.named("prune"), pool=site.pool("prune"))
    def prune(context: dg.OpExecutionContext, config: PruneOptions) -> None:
        """Delete the scopes of deleted branches, then their partitions and runs."""
        with errors_as_failures():
            project = begin_project_run(context, site)
            plan = plan_prune(project, os.environ, config.request(), datetime.now(UTC))
            context.add_output_metadata(plan_metadata(plan))
            for verdict in plan.verdicts:
                context.log.info(f"{'delete' if verdict.goes else 'keep  '} {verdict.scope}: {verdict.reason}")
            if not config.apply:
                return
            outcome = apply_prune(project, os.environ, plan, lambda scope: context.log.info(f"deleted {scope}"))
            forgotten = forget_in(context.instance, site, project, os.environ, plan)
            context.log.info(f"deleted {len(outcome.deleted)} scopes, forgot {len(forgotten)} partitions")
            for error in outcome.failed.values():
                raise error  # the others are already deleted

    @dg.job(
        **site.job_fields("prune_scopes", "branches"),
        description="Delete the scopes of branches that no longer exist; shows a plan unless `apply` is set.",
    )
    def prune_scopes() -> None:
        prune()

    return prune_scopes


def dead_branches(context: dg.SensorEvaluationContext, site: DagsterSite) -> dg.RunRequest | dg.SkipReason:
    """Request a run that prunes if the settings allow that; otherwise list what it would delete."""
    try:
        project = site.open()
        plan = plan_prune(project, os.environ, PruneRequest(by_branch=True), datetime.now(UTC))
    except SearchSocketError as error:
        return dg.SkipReason(f"{error.code}: {error}")
    empty = sorted(empty_partitions_of(context.instance, site, project, plan))
    if not plan.to_delete and not empty:
        return dg.SkipReason(f"no scope to delete; {len(plan.verdicts)} kept (branches of {plan.listed})")
    lines = [f"{verdict.scope} ({verdict.reason})" for verdict in plan.to_delete] or [
        f"{key} (no data)" for key in empty
    ]
    words = named(lines)
    if project.settings.branches.prune != "apply":
        job = site.named("prune_scopes")
        return dg.SkipReason(f'would delete {words}; launch {job} with apply, or set branches.prune = "apply"')
    return dg.RunRequest(run_config=_apply(site))


def _apply(site: DagsterSite) -> JsonObject:
    return {"ops": {site.named("prune"): {"config": {"apply": True}}}}


def prune_schedule(site: DagsterSite, job: dg.JobDefinition) -> dg.ScheduleDefinition:
    """The schedule that prunes; off unless the site enables it."""
    return dg.ScheduleDefinition(
        job=job,
        **site.schedule_fields("nightly_prune", "0 4 * * *", "branches"),
        run_config=_apply(site),
        description="Deletes the scopes of branches that no longer exist, every night.",
    )


def plan_metadata(plan: PrunePlan) -> Metadata:
    """A table of deleted and kept scopes for the UI."""
    rows = [
        dg.TableRecord({"scope": verdict.scope, "goes": verdict.goes, "reason": verdict.reason})
        for verdict in sorted(plan.verdicts, key=lambda verdict: not verdict.goes)
    ]
    columns = [dg.TableColumn("scope"), dg.TableColumn("goes", "bool"), dg.TableColumn("reason")]
    return {
        "scopes": dg.MetadataValue.table(rows, dg.TableSchema(columns)),
        "going": len(plan.to_delete),
        "listed_by": plan.listed or "not checked",
    }


def prune_sensor(site: DagsterSite, job: dg.JobDefinition) -> dg.SensorDefinition:
    """The sensor that detects deleted branches; off unless the site enables it."""

    @dg.sensor(
        **site.sensor_fields("dead_branches", "branches", runs=site.traits.prunes_branches),
        job=job,
        minimum_interval_seconds=3600,
        description='Finds scopes of branches that no longer exist. With `branches.prune = "apply"` it requests a run '
        "that deletes them.",
    )
    def look(context: dg.SensorEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        return dead_branches(context, site)

    return look


class MaintenanceOptions(dg.Config):
    """Options of one launch of `maintenance`."""

    runs_kept: int = Field(
        default=MAX_RUNS, ge=1, description="Number of runs to keep in Dagster's history, per job and scope."
    )


def maintenance_job(site: DagsterSite) -> dg.JobDefinition:
    """The job that keeps a project small."""

    @dg.op(name=site.named("maintain"), pool=site.pool("maintain"))
    def maintain(context: dg.OpExecutionContext, config: MaintenanceOptions) -> None:
        """Delete old runs, generations and temporary folders, and compact databases."""
        with errors_as_failures("maintain"):
            project = begin_project_run(context, site)
            freed = [*_old_runs(context.instance, site, project, config.runs_kept)]
            freed += [*_of_corpora(project), *tidy_temporary()]
            freed += [step for path in _databases(project) for step in compact(path)]
            for step in freed:
                context.log.info(f"{step.what}, {step.where}: {step.note or f'{step.bytes:,} bytes'}")
            rows = [{"what": step.what, "where": step.where, "bytes": step.bytes, "note": step.note} for step in freed]
            metadata = {"freed": table(rows)} if rows else {}
            context.add_output_metadata({**metadata, "megabytes": round(sum(step.bytes for step in freed) / 1e6, 3)})

    @dg.job(
        **site.job_fields("maintenance", "maintenance"),
        description="Deletes old runs, leftovers of failed runs, old generations and temporary folders, and "
        "compacts databases. Reports the space freed by each step.",
    )
    def maintenance() -> None:
        maintain()

    return maintenance


def _old_runs(instance: dg.DagsterInstance, site: DagsterSite, project: Project, count: int) -> Iterator[Freed]:
    of_corpora = [index_corpus_name(name) for name in corpora_by_name() if name != SITE.name]
    jobs = (*map(site.named, (INDEX_SITE, *of_corpora, PLAN, ROLLBACK, VERIFY)), ASSET_JOB)  # for one scope each
    for scope in own_partitions(instance, site, project):
        deleted = 0
        for job in jobs:
            for _ in range(_ROUNDS):
                if not (count_deleted := delete_old_runs(instance, project, scope, count, job)):
                    break
                deleted += count_deleted
        if deleted:
            yield Freed(f"{deleted} old runs", scope, 0, "deleted from Dagster's history")


def _of_corpora(project: Project) -> Iterator[Freed]:
    for home in homes_of(project):
        if home.state_dir.is_dir():
            yield from tidy_scopes(home, Backends(home, os.environ, calls=False))


def _databases(project: Project) -> Iterator[Path]:
    for home in homes_of(project):
        if (path := home.state_dir / "state.db").is_file():
            yield path


def maintenance_schedule(site: DagsterSite, job: dg.JobDefinition) -> dg.ScheduleDefinition:
    """The schedule of maintenance; off unless the site enables it."""
    return dg.ScheduleDefinition(
        job=job,
        **site.schedule_fields("weekly_maintenance", "0 5 * * 0", "maintenance"),
        description="Cleans up the project on Sunday mornings.",
    )
