"""Keep a project small: a scheduled job, which reports the space that each step freed."""

import os
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
from pydantic import Field

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.scopes import tidy_scopes
from searchsocket.pipeline.branches.unused_embeddings import prune_unused
from searchsocket.project.corpora import code_home
from searchsocket.project.project import Project
from searchsocket.system.disk_space import Freed, compact, tidy_temporary
from searchsocket_assets.jobs import INDEX_CODE, INDEX_SITE, PLAN, ROLLBACK, VERIFY
from searchsocket_assets.partitions import own_partitions
from searchsocket_assets.resources import begin_project_run
from searchsocket_assets.run.details import table
from searchsocket_assets.run.history import ASSET_JOB, MAX_RUNS, delete_old_runs
from searchsocket_assets.run.translate import errors_as_failures
from searchsocket_assets.site import DagsterSite

# Jobs whose runs are for one scope each.
_JOBS = (INDEX_SITE, INDEX_CODE, PLAN, ROLLBACK, VERIFY)
_ROUNDS = 500  # of deletions, with ten runs each


class MaintenanceOptions(dg.Config):
    """Options of one launch of `maintenance`."""

    runs_kept: int = Field(
        default=MAX_RUNS, ge=1, description="Number of runs to keep in Dagster's history, per job and scope."
    )

    unused_embeddings: bool = Field(
        default=False,
        description="Also delete embeddings that no project uses, like `searchsocket cache prune --unused`.",
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
            if config.unused_embeddings:
                freed += _unused_embeddings(project)
            for step in freed:
                context.log.info(f"{step.what}, {step.where}: {step.note or f'{step.bytes:,} bytes'}")
            rows = [{"what": step.what, "where": step.where, "bytes": step.bytes, "note": step.note} for step in freed]
            metadata = {"freed": table(rows)} if rows else {}
            context.add_output_metadata({**metadata, "megabytes": round(sum(step.bytes for step in freed) / 1e6, 3)})

    @dg.job(
        **site.job_fields("maintenance", "maintenance"),
        description="Deletes old runs, leftovers of failed runs, old generations and temporary folders, and "
        "compacts databases. Reports the space freed by each step. Keeps embeddings unless `unused_embeddings` is set.",
    )
    def maintenance() -> None:
        maintain()

    return maintenance


def _old_runs(instance: dg.DagsterInstance, site: DagsterSite, project: Project, count: int) -> Iterator[Freed]:
    for scope in own_partitions(instance, site, project):
        deleted = 0
        for job in (*map(site.named, _JOBS), ASSET_JOB):
            for _ in range(_ROUNDS):
                if not (count_deleted := delete_old_runs(instance, project, scope, count, job)):
                    break
                deleted += count_deleted
        if deleted:
            yield Freed(f"{deleted} old runs", scope, 0, "deleted from Dagster's history")


def _of_corpora(project: Project) -> Iterator[Freed]:
    for home in (project, code_home(project)):
        if home.state_dir.is_dir():
            yield from tidy_scopes(home, Backends(home, os.environ, calls=False))


def _unused_embeddings(project: Project) -> Iterator[Freed]:
    with Backends(project, os.environ, calls=False).open_cache() as cache:
        before = cache.size_bytes()
        try:
            unused = prune_unused(cache, apply=True)
        except SearchSocketError as error:
            yield Freed("unused embeddings", str(cache.path), 0, str(error))
            return
        yield Freed(f"{unused.texts} unused embeddings", str(cache.path), max(0, before - cache.size_bytes()))


def _databases(project: Project) -> Iterator[Path]:
    for home in (project, code_home(project)):
        if (path := home.state_dir / "state.db").is_file():
            yield path


def maintenance_schedule(site: DagsterSite, job: dg.JobDefinition) -> dg.ScheduleDefinition:
    """The schedule of maintenance; off unless the site enables it."""
    return dg.ScheduleDefinition(
        job=job,
        **site.schedule_fields("weekly_maintenance", "0 5 * * 0", "maintenance"),
        description="Cleans up the project on Sunday mornings.",
    )
