"""Add a partition for each new branch, and request one run as soon as its build exists.

The sensor reads the current state each time and remembers nothing, so that a failed tick, or a branch that reappears,
needs no repair.
"""

import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.builds import OWN_SOURCES, Attempt, build_of, is_due
from searchsocket.pipeline.branches.listing import new_scopes, selected_scopes
from searchsocket.pipeline.branches.scopes import live_branches
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.project.project import Project
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket_assets.builds import wait_for
from searchsocket_assets.partitions import names_in_stores
from searchsocket_assets.run.history import index_records
from searchsocket_assets.run.tags import BRANCH_TAG, PROJECT_TAG
from searchsocket_assets.site import DagsterSite

_MOST_AT_ONCE = 20  # new scopes per tick; a large repository takes several ticks
_TICK_S = 20.0  # time of one tick for builds; Dagster stops it after 60 s
_LOOKED_AT = 20  # newest runs of a scope to read
_MAX_LISTED = 30  # scopes in the message of a skipped tick
_FAILED = (dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED)


@dataclass(frozen=True, slots=True)
class _Missing:
    """Scopes of existing branches without an index."""

    branch_of: Mapping[str, str]  # by scope
    indexed: frozenset[str]  # stored scopes
    shared: str  # reason why other branches are left out; "" = none are


def new_branches(context: dg.SensorEvaluationContext, site: DagsterSite) -> dg.SensorResult | dg.SkipReason:
    """Request a run of every branch without a scope; an incomplete list of branches changes nothing.

    Stored scopes without a partition get one: a new Dagster home has none.
    """
    try:
        project = site.open()
        branches = live_branches(project)
        branch_of = selected_scopes(branches, project.settings.branches.include, project.settings.branches.exclude)
        missing = _find_missing(project, branch_of)
    except SearchSocketError as error:
        return dg.SkipReason(f"{error.code}: {error}")
    keys = set(context.instance.get_dynamic_partitions(site.partitions_name))
    last = {
        key: index_records(context.instance, site, project, key, _LOOKED_AT)
        for key in keys & (missing.branch_of.keys() - missing.indexed)
    }
    started = {key for key, records in last.items() if not _is_to_begin(project, records)}
    unbuilt = _unbuilt(project, missing.branch_of, started | missing.indexed)
    new = new_scopes(missing.branch_of, started | missing.indexed | unbuilt, _MOST_AT_ONCE)
    added = sorted({*missing.indexed, *new} - keys)
    adding = [site.partitions.build_add_request(added)] if added else []
    if not new and adding:
        words = f"added partitions of existing scopes: {named(added)}"
        return dg.SensorResult(skip_reason=words, dynamic_partitions_requests=adding)
    if not new:
        waiting = f"waiting for builds of {named(sorted(unbuilt))}" if unbuilt else ""
        every = f"all {len(missing.branch_of)} branches of {branches.origin} have a scope"
        return dg.SkipReason(waiting or missing.shared or every)
    runs = [
        dg.RunRequest(
            # With the previous run, so that overlapping ticks request one run, and a later one can repeat it.
            run_key=f"{scope}:{next((record.dagster_run.run_id for record in last.get(scope, ())), '')}",
            partition_key=scope,
            tags={PROJECT_TAG: project.id, BRANCH_TAG: missing.branch_of[scope]},
        )
        for scope in new
    ]
    return dg.SensorResult(run_requests=runs, dynamic_partitions_requests=adding)


def named(scopes: Sequence[str]) -> str:
    """The first few names, and the number of the others."""
    return ", ".join(scopes[:_MAX_LISTED]) + (
        f" and {len(scopes) - _MAX_LISTED} more" if len(scopes) > _MAX_LISTED else ""
    )


def _find_missing(project: Project, branch_of: Mapping[str, str]) -> _Missing:
    """
    Raises:
        SearchSocketError: The stored scopes cannot be listed.
    """
    indexed = frozenset(names_in_stores(project))
    if project.settings.source.differs_by_scope():
        return _Missing(branch_of, indexed, "")
    own_scope = project.scope(os.environ).name  # the scope that a command here would index
    others = sorted(branch_of.keys() - {own_scope})
    shared = f"CONFIG_INVALID: {named(others)} would be indexed from the same pages, {OWN_SOURCES}" if others else ""
    return _Missing({name: branch for name, branch in branch_of.items() if name == own_scope}, indexed, shared)


def _is_to_begin(project: Project, records: Sequence[dg.RunRecord]) -> bool:
    """Return True if a scope without an index needs a run, given its earlier runs.

    A crawled preview may respond long after its branch appeared, and cannot be watched. So a failed run is repeated
    after growing pauses. For a build that can be watched, the sensor for new builds repeats it.
    """
    is_crawled = source_kind(project.settings.source.mode).is_remote
    attempts = [
        Attempt(
            "",
            is_crawled and record.dagster_run.status in _FAILED,
            record.end_time or record.update_timestamp.timestamp(),
        )
        for record in records
    ]
    return is_due("", attempts, time.time())


def _unbuilt(project: Project, branch_of: Mapping[str, str], left_out: Collection[str]) -> set[str]:
    """Scopes whose build is missing or being written: a run now would fail or read an incomplete build."""
    if source_kind(project.settings.source.mode).is_remote:
        return set()
    unbuilt: set[str] = set()
    deadline, ready = time.monotonic() + _TICK_S, 0
    for scope in sorted(branch_of.keys() - left_out):
        if ready == _MOST_AT_ONCE:
            break
        is_late = time.monotonic() > deadline
        run = ScopeRun(project, project.scope_named(scope, branch_of[scope]), "", environ=os.environ)
        build = None if is_late else build_of(run)
        if build is None or wait_for(run, build, time.time_ns()):
            unbuilt.add(scope)
        else:
            ready += 1
    return unbuilt


def discovery_sensor(site: DagsterSite, job: Any) -> dg.SensorDefinition:
    """The sensor that detects new branches; off unless the site enables it."""

    @dg.sensor(
        **site.sensor_fields("new_branches", "branches", runs=site.traits.discovers_branches),
        job=job,
        minimum_interval_seconds=60,
        description="Adds a partition for every new branch and requests one run as soon as its build exists. "
        "`[branches]` in the settings selects the branches. If all branches share one build folder, it requests "
        "a run of the checked-out branch only.",
    )
    def look(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        return new_branches(context, site)

    return look
