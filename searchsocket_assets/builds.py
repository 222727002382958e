"""Request one run for each new build of a scope.

Earlier requests are read from Dagster's runs, which are tagged with the digest of their build, so a failed or repeated
tick needs no repair. A run key also contains the previous run: two ticks in the same state request one run, and a build
whose run failed, or that reappears after another one, can run again.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import dagster as dg

from searchsocket.backends import Backends
from searchsocket.errors import BranchesUnknown, ConfigMissing, SearchSocketError
from searchsocket.pipeline.branches.builds import Attempt, Build, build_of, is_due
from searchsocket.pipeline.branches.listing import Branches, list_branches
from searchsocket.pipeline.branches.scopes import branch_among
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.watching.whole import Wait, Wholeness
from searchsocket.project.project import Project
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.quality.gate import gate_digest
from searchsocket.state.project import ProjectState
from searchsocket_assets.jobs import INDEX_SITE
from searchsocket_assets.partitions import names_in_stores, own_partitions
from searchsocket_assets.run.history import index_records
from searchsocket_assets.run.tags import BRANCH_TAG, BUILD_TAG, PROJECT_TAG, REFUSED_TAG, STARTED_TAG
from searchsocket_assets.site import DagsterSite

_MOST_AT_ONCE = 20  # runs that one tick requests
_TICK_S = 20.0  # time for one tick; Dagster stops it after 60 s
_LOOKED_AT = 20  # newest runs of a scope to read
_FAILED = (dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)


@dataclass(frozen=True, slots=True)
class _BuildCheck:
    """The findings of one tick."""

    settled: dict[str, str]  # scope -> digest of its indexed build
    unfinished: list[str] = field(default_factory=list)  # scopes whose build is still being written
    queued: list[str] = field(default_factory=list)  # scopes for which another run waits or goes on
    refused: list[str] = field(default_factory=list)  # scopes whose build the gate would refuse again

    def reason(self) -> str:
        """Why these scopes get no run; "" if there are none."""
        scopes = {
            "still being written": self.unfinished,
            "another run waits or goes on": self.queued,
            "refused by the golden queries until something changes": self.refused,
        }
        return "; ".join(f"{why}: {', '.join(names)}" for why, names in scopes.items() if names)


def new_builds(context: dg.SensorEvaluationContext, site: DagsterSite) -> dg.SensorResult | dg.SkipReason:
    """Request a run of every scope whose build differs from the last requested one."""
    try:
        project = site.open()
        if source_kind(project.settings.source.mode).is_remote:
            return dg.SkipReason("a crawled site cannot be watched; run it on a schedule instead")
        listed = _list_branches(project)
        branches = _watched_scopes(context.instance, site, project, listed.scopes() if listed else {})
    except SearchSocketError as error:
        return dg.SkipReason(f"{error.code}: {error}")
    settled, begin = _cursor(context.cursor)
    check = _BuildCheck(settled)
    commits = listed.commits if listed else {}
    runs: list[dg.RunRequest] = []
    order = sorted(branches, key=lambda scope: (scope <= begin, scope))  # continue after the last tick's last scope
    deadline, last = time.monotonic() + _TICK_S, ""
    for scope in order:
        if len(runs) == _MOST_AT_ONCE or time.monotonic() > deadline:
            break
        last = scope
        run = ScopeRun(project, project.scope_named(scope, branches[scope]), "", environ=os.environ)
        build = build_of(run, commits)
        if build is None or settled.get(scope) == build.digest:
            continue
        if wait := wait_for(run, build, time.time_ns()):
            check.unfinished.append(described(scope, wait))
            continue
        request = _request(context.instance, site, run, build, check)
        if request is not None:
            runs.append(request)
    digests = {scope: digest for scope, digest in settled.items() if scope in branches}
    cursor = json.dumps([last if last != order[-1:][0] else "", digests], separators=(",", ":")) if order else "[]"
    # Partitions follow the stored scopes: a new Dagster home has none, and gets all of them here.
    missing = sorted(branches.keys() - {*context.instance.get_dynamic_partitions(site.partitions_name)})
    reason = check.reason() or f"no new build; scopes watched: {len(branches)}"
    return dg.SensorResult(
        run_requests=runs,
        skip_reason=None if runs else dg.SkipReason(reason),
        dynamic_partitions_requests=[site.partitions.build_add_request(missing)] if missing else [],
        cursor=cursor,
    )


def _request(
    instance: dg.DagsterInstance,
    site: DagsterSite,
    run: ScopeRun,
    build: Build,
    check: "_BuildCheck",
) -> dg.RunRequest | None:
    """Return the request for a run; None if no run is due, and note why in `check`."""
    scope, project = run.scope, run.project
    newest = index_records(instance, site, project, scope.name, _LOOKED_AT)
    if any(not record.dagster_run.is_finished and BUILD_TAG not in record.dagster_run.tags for record in newest):
        check.queued.append(scope.name)  # that run will read the current build when it starts
        return None
    job = site.named(INDEX_SITE)
    records = [record for record in newest if _digest(record, build, job)]
    attempts = [_attempt(record, build, job) for record in records]
    if records and records[0].dagster_run.is_success and attempts[0].digest == build.digest:
        check.settled[scope.name] = build.digest
    gate = gate_digest(project)
    if attempts and attempts[0].is_refused(build.digest, gate):
        check.refused.append(scope.name)
    if not is_due(build.digest, attempts, time.time(), gate):
        return None
    check.settled.pop(scope.name, None)
    return dg.RunRequest(
        run_key=f"{scope.name}:{build.digest}:{records[0].dagster_run.run_id if records else ''}",
        partition_key=scope.name,
        tags={PROJECT_TAG: project.id, BRANCH_TAG: scope.branch or scope.name, BUILD_TAG: build.digest},
    )


def _digest(record: dg.RunRecord, build: Build, job: str) -> str:
    """The digest of the build that a run read; "" if unknown.

    Its start time is enough only for a whole run; a run of some assets has a tag if it read the build.
    """
    is_whole = record.dagster_run.job_name == job
    started_s = _start_s(record)
    is_later = is_whole and build.changed_ns and started_s and started_s * 1e9 > build.changed_ns
    return record.dagster_run.tags.get(BUILD_TAG, "") or (build.digest if is_later else "")


def _start_s(record: dg.RunRecord) -> float | None:
    """When a run began, in seconds since the epoch; Dagster's run of a command begins long after it."""
    if stated := record.dagster_run.tags.get(STARTED_TAG):
        return datetime.fromisoformat(stated).timestamp()
    return record.start_time


def _attempt(record: dg.RunRecord, build: Build, job: str) -> Attempt:
    ended_at = record.end_time or record.update_timestamp.timestamp()
    run = record.dagster_run
    return Attempt(_digest(record, build, job), run.status in _FAILED, ended_at, run.tags.get(REFUSED_TAG, ""))


def _watched_scopes(
    instance: dg.DagsterInstance, site: DagsterSite, project: Project, alive: Mapping[str, str]
) -> Mapping[str, str]:
    """Map scopes to branches, for scopes whose source can be watched: all, or only that of the working tree.

    Args:
        alive: Scope -> branch, from git.

    Raises:
        SearchSocketError: The stored scopes cannot be listed.
    """
    branches = ProjectState(project.state_dir).branches()
    if not project.settings.source.differs_by_scope():
        scope = project.scope(os.environ)
        return {scope.name: scope.branch}
    names = {*own_partitions(instance, site, project, alive), *names_in_stores(project)}
    return {scope: branch_among(scope, branches, alive) for scope in sorted(names)}


def _list_branches(project: Project) -> Branches | None:
    """List the branches of this clone with one command; None if each scope needs its own."""
    settings = project.settings
    if not source_kind(settings.source.mode).reads_commit or settings.source.git.branch:
        return None
    try:
        return list_branches(project.root / settings.source.git.repo_dir, "", settings.branches.timeout_s)
    except (BranchesUnknown, ConfigMissing):
        return None


def _cursor(text: str | None) -> tuple[dict[str, str], str]:
    """Map scopes to the digests of their indexed builds, to avoid queries to Dagster; also return the last scope
    that was checked.
    """
    try:
        last, settled = json.loads(text or "")
        return {str(scope): str(digest) for scope, digest in settled.items()}, str(last)
    except (ValueError, TypeError, AttributeError):
        return {}, ""


def build_sensor(site: DagsterSite, job: Any) -> dg.SensorDefinition:
    """The sensor that detects new builds; off unless the site enables it."""

    @dg.sensor(
        **site.sensor_fields("new_builds", "builds", runs=site.traits.watches_builds),
        job=job,
        minimum_interval_seconds=30,
        description="Requests one run per scope with a new build: a new commit of its branch, or a new build in "
        "its folder once writes have settled for `branches.settle_s`. Retries a failed build after pauses from "
        "one minute to six hours; one that the golden queries refused waits until something changes.",
    )
    def look(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        return new_builds(context, site)

    return look


def wait_for(run: ScopeRun, build: Build, now_ns: int) -> Wait | None:
    """Return the wait that the build needs; None if it is complete.

    Args:
        now_ns: Time since the epoch, by the clock of the build's disk.
    """
    settings, live = run.project.settings, None
    with suppress(SearchSocketError):  # an unavailable store must not delay a build
        live = Backends(run.project, os.environ).store.generation(run.scope)
    # A builder's own files describe its last build, which belongs to one scope only.
    heeds_builder = not settings.source.differs_by_scope()
    whole = Wholeness(settings.branches.settle_s, live.pages if live else 0, heeds_builder=heeds_builder)
    wait = whole.wait(build.folder, run.project.root)
    return wait if now_ns - build.changed_ns < wait.seconds * 1e9 else None


def described(scope: str, wait: Wait) -> str:
    """The scope, and the missing pages of its build."""
    if not wait.missing:
        return scope
    example = f", such as {wait.example!r}" if wait.example else ""
    return f"{scope} ({wait.missing} pages missing{example})"
