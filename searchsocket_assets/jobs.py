"""The jobs that index a scope: its site, and its source code."""

from typing import Any

import dagster as dg

from searchsocket.pipeline.run.stages import CODE_STAGES, LLMS_STAGES, STAGES, STATIC_STAGES
from searchsocket.quality.checks import BETWEEN_RUNS
from searchsocket_assets.site import DagsterSite

INDEX_SITE = "index_site"
INDEX_CODE = "index_code"


def index_site_job(site: DagsterSite) -> Any:
    """The job over the assets of a site, without the checks between runs."""
    static = STATIC_STAGES if site.traits.has_static else ()
    stages = [*STAGES, *(LLMS_STAGES if site.traits.has_llms else ()), *static]
    between = [dg.AssetCheckKey(site.key("search_index"), name) for name in sorted(BETWEEN_RUNS)]
    return dg.define_asset_job(
        name=site.named(INDEX_SITE),
        selection=dg.AssetSelection.assets(*map(site.key, stages)) - dg.AssetSelection.checks(*between),
        description="Index the site of one scope: read, mirror, chunk, embed and publish. Run configuration: "
        f"`resources.{site.options_key}.config` (force, limits, cost). `{site.named('plan_scope')}` shows what "
        f"it would do.",
        owners=site.owners,
        tags=site.job_tags("site"),
        executor_def=dg.in_process_executor,
    )


def index_code_job(site: DagsterSite) -> Any:
    """The job over the assets of a project's source code."""
    return dg.define_asset_job(
        name=site.named(INDEX_CODE),
        selection=dg.AssetSelection.assets(*map(site.key, CODE_STAGES)),
        description="Index the source code of one scope: list, chunk, embed and publish. "
        f"Run configuration: the same as `{site.named(INDEX_SITE)}`.",
        owners=site.owners,
        tags=site.job_tags("code"),
        executor_def=dg.in_process_executor,
    )
