"""Show the runs of commands in a Dagster home at once, for `searchsocket index --record`."""

import os
from pathlib import Path

from searchsocket.pipeline.run.report import report_names
from searchsocket.project.project import Project
from searchsocket_assets.command_runs import missing_reports, request_for
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.home import prepare_home, refuse_odd_home
from searchsocket_assets.run.instance import open_instance
from searchsocket_assets.run.tags import REPOSITORY_TAG
from searchsocket_assets.site import DagsterSite, ensure_scope, read_traits

LOCATION = "searchsocket"  # `location_name` in workspace.yaml


def show_now(project: Project, home: Path) -> int:
    """Make the missing runs of all reports in a Dagster home, oldest first, and return their number.

    Raises:
        ConfigError: See `refuse_odd_home`.
        StateUnavailable: The Dagster home cannot be used.
    """
    _, traits = read_traits(project.root, os.environ)
    site = DagsterSite(str(project.root), traits=traits)
    definitions = build_definitions(site.root, traits=traits)
    refuse_odd_home(home)
    prepare_home(home)
    count = 0
    with open_instance(home) as instance:
        for report in missing_reports(instance, site, project, report_names(project)):
            ensure_scope(instance, report.scope)
            request = request_for(site, project, report)
            definitions.resolve_job_def(request.job_name or "").execute_in_process(
                {**request.run_config, "loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
                instance=instance,
                partition_key=report.scope,
                tags={**request.tags, REPOSITORY_TAG: f"__repository__@{LOCATION}"},
                asset_selection=request.asset_selection,
                raise_on_error=False,
            )
            count += 1
    return count
