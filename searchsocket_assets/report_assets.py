"""The asset that reports: `scopes`, as in `searchsocket scopes`."""

import os
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from searchsocket.backends import Backends
from searchsocket.pipeline.branches.overview import ScopesOverview, scopes_overview, to_json
from searchsocket.system.json_text import JsonObject
from searchsocket_assets.resources import begin_project_run
from searchsocket_assets.run.details import Metadata, bullets, table
from searchsocket_assets.run.history import last_runs_in
from searchsocket_assets.run.translate import errors_as_failures
from searchsocket_assets.site import BRANCHES, SCOPES, DagsterSite


def scopes_asset(site: DagsterSite) -> dg.AssetsDefinition:
    """The asset `scopes`, which is not part of an index."""

    @dg.asset(
        key=site.key(SCOPES),
        group_name=site.group(BRANCHES),
        kinds={"git", "table"},
        owners=site.traits.owners,
        tags=site.tags(BRANCHES),
        pool=site.pool(SCOPES),
        description="Every scope with its branch, generation, size and last run.",
    )
    def scopes(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        with errors_as_failures(SCOPES):
            project = begin_project_run(context, site)
            overview = scopes_overview(project, Backends(project, os.environ, calls=False), datetime.now(UTC))
            last = last_runs_in(context.instance, project, [row.scope for row in overview.rows])
            runs = {name: run.to_json() for name, run in last.items()}
            return dg.MaterializeResult(metadata=scopes_metadata(overview, runs))

    return site.translated(scopes, SCOPES)


def scopes_job(site: DagsterSite) -> Any:
    """The job that updates the table."""
    return dg.define_asset_job(
        **site.job_fields("look_at_scopes", BRANCHES),
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
