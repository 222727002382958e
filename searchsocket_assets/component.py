"""The component `searchsocket_assets.Site`: one site in a Dagster project, described in YAML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import dagster as dg
from pydantic import BaseModel, Field

from searchsocket_assets.site_factory import site_definitions


class SiteParams(BaseModel):
    """Parameters of `dg scaffold defs searchsocket_assets.Site`."""

    root: str = Field(default=".", description="Project folder with searchsocket.toml.")


class SiteScaffolder(dg.Scaffolder[SiteParams]):
    """Writes a `defs.yaml` whose keys start with the name of its folder."""

    @classmethod
    def get_scaffold_params(cls) -> type[SiteParams]:
        return SiteParams

    def scaffold(self, request: dg.ScaffoldRequest[SiteParams]) -> None:
        root = request.params.root if request.params else "."
        dg.scaffold_component(request, {"root": root, "key_prefix": request.target_path.name})


def _option(description: str, example: object = None) -> Any:
    return dg.Resolver.default(description=description, examples=None if example is None else [example])


@dg.scaffold_with(SiteScaffolder)
@dataclass
class Site(dg.Component, dg.Resolvable):
    """The search index of one website: pages, chunks, embeddings and index as assets, with one partition per branch.

    Each site of a deployment has its own asset keys, partitions, jobs, sensors, schedules and pool.
    """

    root: Annotated[str, _option("Project folder with searchsocket.toml; relative to the Dagster project.", "../docs")]
    key_prefix: Annotated[
        str | Sequence[str], _option("Prefix of all asset keys and names; default: the project id.", "docs")
    ] = ()
    group: Annotated[str, _option("Asset group; default: separate groups for site, code and branches.", "search")] = ""
    pool: Annotated[str, _option("Concurrency pool; default: `searchsocket_<site>`.", "search")] = ""
    owners: Annotated[
        Sequence[str] | None,
        _option("Owners: mail addresses or teams; default: the project's settings.", ["team:docs"]),
    ] = None
    tags: Annotated[Mapping[str, str], _option("Tags for all definitions.", {"domain": "docs"})] = field(
        default_factory=dict
    )
    code: Annotated[bool | None, _option("Add assets for the source code; default: the project's settings.")] = None
    llms: Annotated[bool | None, _option("Add the asset `llms_txt`; default: the project's settings.")] = None
    static: Annotated[bool | None, _option("Add the asset `static_search`; default: the project's settings.")] = None
    automation: Annotated[
        bool | None,
        _option("Run the sensors for branches and builds from the start; default: the project's settings."),
    ] = None
    schedules: Annotated[
        Mapping[str, str],
        _option("Schedules to start automatically, with their cron times.", {"nightly_verify": "30 4 * * *"}),
    ] = field(default_factory=dict)
    deps: Annotated[
        Sequence[dg.ResolvedAssetKey], _option("Assets that build the site; a materialization starts a run.")
    ] = ()
    keys: Annotated[
        Mapping[str, str],
        _option("Asset key per stage; default: the prefix and the stage's name.", {"search_index": "docs/index"}),
    ] = field(default_factory=dict)

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        return site_definitions(
            context.project_root / Path(self.root).expanduser(),
            self.key_prefix,
            group=self.group,
            pool=self.pool,
            owners=self.owners,
            tags=self.tags,
            code=self.code,
            llms=self.llms,
            static=self.static,
            automation=self.automation,
            schedules=self.schedules,
            deps=self.deps,
            keys={stage: dg.AssetKey.from_user_string(key) for stage, key in self.keys.items()},
        )
