"""Assets that report: `scopes`, as in `searchsocket scopes`, and `search_demand`, as in `searchsocket demand`."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from searchsocket.backends import Backends
from searchsocket.demand.acceptance import save_report
from searchsocket.demand.report import DemandEntry, DemandReport, demand_report
from searchsocket.pipeline.branches.overview import ScopesOverview, look_at_scopes, to_json
from searchsocket.serving.service import open_service
from searchsocket.system.json_text import JsonObject
from searchsocket_assets.resources import begin_project_run, begin_scope_run
from searchsocket_assets.run.details import Metadata, bullets, table
from searchsocket_assets.run.history import last_runs_in
from searchsocket_assets.run.translate import errors_as_failures, events_logged
from searchsocket_assets.site import DagsterSite

GROUP = "branches"
SCOPES = "scopes"
DEMAND = "search_demand"
_DAYS, _LIMIT = 30, 20


def scopes_asset(site: DagsterSite) -> dg.AssetsDefinition:
    """The asset `scopes`, which is not part of an index."""

    @dg.asset(
        key=site.key(SCOPES),
        group_name=site.group(GROUP),
        kinds={"git", "table"},
        owners=site.traits.owners,
        tags=site.tags(GROUP),
        pool=site.pool(SCOPES),
        description="Every scope with its branch, generation, size and last run.",
    )
    def scopes(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        with errors_as_failures(SCOPES):
            project = begin_project_run(context, site)
            overview = look_at_scopes(project, Backends(project, os.environ, calls=False), datetime.now(UTC))
            last = last_runs_in(context.instance, project, [row.scope for row in overview.rows])
            runs = {name: run.to_json() for name, run in last.items()}
            return dg.MaterializeResult(metadata=scopes_metadata(overview, runs))

    return scopes


def scopes_job(site: DagsterSite) -> Any:
    """The job that updates the table."""
    return dg.define_asset_job(
        **site.job_fields("look_at_scopes", GROUP),
        selection=dg.AssetSelection.assets(site.key(SCOPES)),
        description="Update the table of all scopes.",
    )


def scopes_metadata(overview: ScopesOverview, runs: Any) -> Metadata:
    """The table, and numbers that Dagster plots."""
    rows = [_flat(to_json(row, runs.get(row.scope))) for row in overview.rows]
    metadata: Metadata = {"scopes": table(rows)} if rows else {}
    if overview.problems:
        metadata["warning_list"] = dg.MetadataValue.md(
            bullets([f"{problem.code}: {problem}" for problem in overview.problems])
        )
    return metadata | {
        "dagster/row_count": len(rows),
        "alive": sum(row.alive is True for row in overview.rows),
        "gone": sum(row.alive is False for row in overview.rows),
        "megabytes": round(sum(row.bytes for row in overview.rows) / 1e6, 3),
    }


def _flat(row: JsonObject) -> JsonObject:
    return {
        **{name: value for name, value in row.items() if name != "lastRun"},
        "lastRun": row["lastRun"].get("status"),
    }


def demand_asset(site: DagsterSite) -> dg.AssetsDefinition:
    """The asset of a scope's demand; it is part of no job and indexes nothing."""

    @dg.asset(
        key=site.key(DEMAND),
        group_name=site.group("site"),
        kinds={"table"},
        owners=site.traits.owners,
        tags=site.tags("site"),
        partitions_def=site.partitions,
        pool=site.pool(DEMAND),
        required_resource_keys={site.options_key},
        description="What visitors searched for and did not find in the last 30 days, with proposals.",
    )
    def search_demand(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        with errors_as_failures(DEMAND), events_logged(context.log) as on_event:
            run = begin_scope_run(context, site, on_event)
            engine = open_service(run.project, os.environ).engine
            today = datetime.now(UTC).date()
            report = demand_report(run.project, engine, run.scope, today=today, days=_DAYS, limit=_LIMIT)
            save_report(run.project, report)
            return dg.MaterializeResult(metadata=demand_metadata(report))

    return search_demand


def demand_metadata(report: DemandReport) -> Metadata:
    """A table for each list, and numbers that Dagster plots."""
    lists = {
        "without_results": report.without_results,
        "no_close_match": report.no_close_match,
        "without_click": report.without_click,
        "most_searched": report.top,
    }
    visitors = report.visitors or 1
    return {
        **{name: table(_rows(entries)) for name, entries in lists.items() if entries},
        "dagster/row_count": report.queries,
        "searches": report.searches,
        "share_without_results": round(report.unanswered / visitors, 4),
        "share_without_close_match": round(report.weak / visitors, 4),
        "share_that_opened_a_result": round(report.clicked / visitors, 4),
    }


def _rows(entries: Sequence[DemandEntry]) -> list[JsonObject]:
    return [
        {
            "query": entry.query,
            "visitors": entry.visitors,
            "opened_a_result": entry.clicked,
            "nearest": ", ".join(page.url for page in entry.nearest),
            "number": entry.number or 0,
            "proposal": f"{entry.proposal.kind}: {entry.proposal.summary}" if entry.proposal else "",
        }
        for entry in entries
    ]
