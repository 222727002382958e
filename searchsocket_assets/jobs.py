"""The jobs that index a scope: its site, and its source code."""

import dagster as dg

from searchsocket.quality.checks import BETWEEN_RUNS

_NO_CHECKS = dg.AssetSelection.checks(
    *(dg.AssetCheckKey(dg.AssetKey("search_index"), name) for name in sorted(BETWEEN_RUNS))
)
INDEX_SITE = dg.define_asset_job(
    name="index_site",
    selection=dg.AssetSelection.groups("site") - _NO_CHECKS,
    description="Index one scope: read the site, mirror, chunk, embed and publish it. "
    "Run configuration: `resources.options.config` (force, limits, cost). `plan_scope` says what it would do.",
)

INDEX_CODE = dg.define_asset_job(
    name="index_code",
    selection=dg.AssetSelection.groups("code"),
    description="Index the source code of one scope: list the files, cut them at definitions, embed and publish them. "
    "Run configuration: as of `index_site`.",
)
