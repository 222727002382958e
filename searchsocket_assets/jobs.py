"""The job that indexes a scope."""

import dagster as dg

INDEX_SITE = dg.define_asset_job(
    name="index_site",
    selection=dg.AssetSelection.groups("site"),
    description="Index one scope: read the site, mirror, chunk, embed and publish it. "
    "Run configuration: `resources.options.config` (force, dry_run, limits, cost).",
)
