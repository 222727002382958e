"""The asset `search_demand`, as in `searchsocket demand`."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

import dagster as dg

from searchsocket.extensions.demand.report import DemandEntry, DemandReport, demand_report
from searchsocket.serving.service import open_service
from searchsocket.system.json_text import JsonObject
from searchsocket_assets.resources import begin_scope_run
from searchsocket_assets.run.details import Metadata, table
from searchsocket_assets.run.translate import errors_as_failures, events_logged
from searchsocket_assets.site import DagsterSite

DEMAND = "search_demand"
_DAYS, _LIMIT = 30, 20


def demand_assets(site: DagsterSite) -> list[dg.AssetsDefinition]:
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
            return dg.MaterializeResult(metadata=demand_metadata(report))

    return [site.translated(search_demand, DEMAND)]


def demand_metadata(report: DemandReport) -> Metadata:
    """A table for each list, and numbers that Dagster plots."""
    lists = {
        "without_results": report.without_results,
        "no_close_match": report.no_close_match,
        "without_click": report.without_click,
        "refused_answers": report.refused_answers,
        "unhelpful_answers": report.unhelpful_answers,
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
            "proposal": f"{entry.proposal.kind}: {entry.proposal.summary}" if entry.proposal else "",
        }
        for entry in entries
    ]
