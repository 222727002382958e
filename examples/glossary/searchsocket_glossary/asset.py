"""The asset `glossary` in Dagster."""

import dagster as dg

from searchsocket_assets.site import DagsterSite
from searchsocket_glossary.terms import read_glossary


def glossary_assets(site: DagsterSite) -> list[dg.AssetsDefinition]:
    """The terms of the site's glossary."""

    @dg.asset(key=site.key("glossary"), group_name=site.group("site"), description="The terms of the glossary.")
    def glossary() -> dg.MaterializeResult[None]:
        terms = read_glossary(site.open())
        return dg.MaterializeResult(metadata={"dagster/row_count": len(terms), "terms": ", ".join(sorted(terms))})

    return [glossary]
