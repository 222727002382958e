"""The table of a project's scopes, as `searchsocket scopes` prints it."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from searchsocket.branches.overview import ScopesOverview, look_at_scopes, to_json
from searchsocket.project.backends import Backends
from searchsocket_assets.owned import about
from searchsocket_assets.resources import SiteProject
from searchsocket_assets.run.details import bullets, table
from searchsocket_assets.run.last_runs import last_runs_in
from searchsocket_assets.run.tags import tag_run
from searchsocket_assets.run.translate import errors_as_failures

GROUP = "branches"


def scopes_asset(owners: Sequence[str]) -> dg.AssetsDefinition:
    """The asset `scopes`, which is no part of any index."""

    @dg.asset(
        name="scopes",
        group_name=GROUP,
        kinds={"git", "table"},
        owners=owners,
        tags=about(GROUP),
        description="Every scope with its branch, whether that lives, its generation, what it holds and its last run.",
    )
    def scopes(context: dg.AssetExecutionContext, site: SiteProject) -> dg.MaterializeResult[None]:
        with errors_as_failures("scopes", log=context.log):
            project = site.open()
            tag_run(context.instance, context.run, project.id, by_command=False)
            found = look_at_scopes(project, Backends(project, os.environ, calls=False), datetime.now(UTC))
            runs = last_runs_in(context.instance, project, [row.scope for row in found.rows])
            return dg.MaterializeResult(metadata=scopes_metadata(found, runs))

    return scopes


def scopes_metadata(found: ScopesOverview, runs: Any) -> dict[str, Any]:
    """The table, and numbers that Dagster plots."""
    rows = [_flat(to_json(row, runs.get(row.scope))) for row in found.rows]
    shown: dict[str, Any] = {"scopes": table(rows)} if rows else {}
    if found.problems:
        shown["warning_list"] = dg.MetadataValue.md(bullets([f"{each.code}: {each}" for each in found.problems]))
    return shown | {
        "dagster/row_count": len(rows),
        "alive": sum(row.alive is True for row in found.rows),
        "gone": sum(row.alive is False for row in found.rows),
        "megabytes": round(sum(row.bytes for row in found.rows) / 1e6, 3),
    }


def _flat(row: Any) -> dict[str, Any]:
    return {
        **{name: value for name, value in row.items() if name != "lastRun"},
        "lastRun": row["lastRun"].get("status"),
    }


LOOK_AT_SCOPES = dg.define_asset_job(
    name="look_at_scopes",
    selection=dg.AssetSelection.groups(GROUP),
    description="Brings the table of all scopes up to date.",
)
