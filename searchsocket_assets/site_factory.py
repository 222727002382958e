"""The Dagster definitions of one site, for any deployment: a component for YAML, and the same as a function."""

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import dagster as dg
from dagster.components.utils.translation import TranslationFn, TranslationFnResolver
from pydantic import BaseModel, Field

from searchsocket.backends import Backends
from searchsocket.errors import ConfigMissing
from searchsocket.extensions.base import load
from searchsocket.pipeline.branches.scopes import ScopesOverview, scopes_overview, to_json
from searchsocket.system.json_text import JsonObject
from searchsocket_assets.assets import all_checks, stage_assets
from searchsocket_assets.builds import build_sensor
from searchsocket_assets.cleanup import maintenance_job, maintenance_schedule, prune_job, prune_schedule, prune_sensor
from searchsocket_assets.command_runs import command_runs_sensor
from searchsocket_assets.discovery import discovery_sensor
from searchsocket_assets.jobs import (
    index_corpus_job,
    index_site_job,
    plan_job,
    rollback_job,
    verify_job,
    verify_schedule,
)
from searchsocket_assets.resources import IndexOptions, begin_project_run, project_resource
from searchsocket_assets.run.details import Metadata, bullets, table
from searchsocket_assets.run.history import last_runs_in
from searchsocket_assets.run.translate import errors_as_failures
from searchsocket_assets.site import BRANCHES, SCOPES, DagsterSite, SiteAsset, Translation, read_traits

_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")


def site_definitions(
    root: str | Path,
    key_prefix: str | Sequence[str] = (),
    *,
    group: str = "",
    pool: str = "",
    owners: Sequence[str] | None = None,
    tags: Mapping[str, str] | None = None,
    code: bool | None = None,
    llms: bool | None = None,
    static: bool | None = None,
    automation: bool | None = None,
    schedules: Mapping[str, str] | None = None,
    timezone: str = "",
    deps: Sequence[dg.AssetKey] = (),
    keys: Mapping[str, dg.AssetKey] | None = None,
    translation: Translation | None = None,
) -> dg.Definitions:
    """The definitions of one site, to be merged with those of other sites and with your own.

    Args:
        root: Folder of the project, which contains `searchsocket.toml`.
        key_prefix: Prefix of the site's asset keys; it also names jobs, sensors, schedules and the pool. Default: the
            project's id.
        group: Asset group; default: separate groups for site, code and branches.
        pool: Concurrency pool of everything that the site runs; default: `searchsocket_<site>`.
        owners: Mail addresses, or teams as `team:docs`; default: the project's settings.
        tags: Tags of all definitions.
        code: Add assets for the source code; default: the project's settings.
        llms: Add the asset `llms_txt`; default: the project's settings.
        static: Add the asset `static_search`; default: the project's settings.
        automation: Run the sensors for branches and builds from the start; default: the project's settings.
        schedules: Schedules to start automatically, with their cron times.
        timezone: Time zone of the schedules, such as `Europe/Berlin`; default: the project's settings.
        deps: Keys of assets that build the site; their materialization starts a run.
        keys: Asset key per stage; default: the prefix and the stage's name.
        translation: Changes the key, group, tags, metadata, owners or description of each asset. It gets the spec and a
            `SiteAsset`, and returns the new spec.

    Returns:
        Assets, checks, jobs, sensors and schedules. They set no executor, so you can choose one.

    Raises:
        ConfigMissing: The folder does not exist.
    """
    folder = Path(root).expanduser().absolute()
    if not folder.is_dir():
        raise ConfigMissing(f"root names {folder}, which is not a folder; name the folder with searchsocket.toml")
    project_id, traits = read_traits(folder, os.environ)
    prefix = (key_prefix,) if isinstance(key_prefix, str) and key_prefix else tuple(key_prefix)
    prefix = tuple(part for text in prefix for part in text.split("/")) or (project_id,)
    traits = replace(
        traits,
        owners=traits.owners if owners is None else tuple(owners),
        corpora=traits.corpora if code is None else (("code",) if code else ()),
        staged=_with_choices(traits.staged, {"llms": llms, "export": static}),
        discovers_branches=traits.discovers_branches if automation is None else automation,
        watches_builds=traits.watches_builds if automation is None else automation,
        prunes_branches=bool(automation),
        group=group,
        tags=tags or {},
        schedules=schedules or {},
        timezone=timezone or traits.timezone,
    )
    return definitions_of(
        DagsterSite(
            str(folder),
            name=_NO_NAME.sub("_", "_".join(prefix)),
            project_id=project_id,
            key_prefix=prefix,
            keys={stage: tuple(key.path) for stage, key in (keys or {}).items()},
            deps=tuple(deps),
            partitions_name=f"searchsocket/{project_id}",
            site_pool=pool,
            translation=translation,
            traits=traits,
        )
    )


def _with_choices(names: frozenset[str], choices: Mapping[str, bool | None]) -> frozenset[str]:
    """Add the names that are chosen and remove those that are refused; None changes nothing."""
    chosen = {name for name, choice in choices.items() if choice}
    return (names | chosen) - {name for name, choice in choices.items() if choice is False}


def definitions_of(site: DagsterSite) -> dg.Definitions:
    """All definitions of a site."""

    # Dagster warns about this new parameter, even when it copies a sensor by itself.
    warnings.filterwarnings("ignore", "Parameter `owners` of", dg.BetaWarning)
    index_site = index_site_job(site)
    prune, maintain, verify = prune_job(site), maintenance_job(site), verify_job(site)
    indexing = [index_site, *(index_corpus_job(site, corpus) for corpus in site.traits.corpora)]
    of_extensions = [asset for place in site.traits.assets for asset in load(place)(site)]
    return dg.Definitions(
        assets=[*stage_assets(site), scopes_asset(site), *of_extensions],
        asset_checks=all_checks(site),
        jobs=[*indexing, prune, maintain, verify, plan_job(site), scopes_job(site), rollback_job(site)],
        sensors=[
            command_runs_sensor(site, indexing),
            discovery_sensor(site, index_site),
            build_sensor(site, index_site),
            prune_sensor(site, prune),
        ],
        schedules=[
            prune_schedule(site, prune),
            maintenance_schedule(site, maintain),
            verify_schedule(site, verify),
        ],
        resources={site.options_key: IndexOptions.configure_at_launch(), **project_resource(site)},
    )


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


def _translated() -> TranslationFnResolver[SiteAsset]:
    resolver = TranslationFnResolver[SiteAsset](template_vars_for_translation_fn=lambda asset: {"asset": asset})
    resolver.description = (
        "Attributes of each asset, such as key, group_name, tags and metadata, as templates with `asset.name`, "
        "`asset.corpus`, `asset.site` and `spec`."
    )
    resolver.examples = [{"group_name": "search_{{ asset.corpus }}"}]
    return resolver


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
    timezone: Annotated[
        str, _option("Time zone of the schedules; default: the project's settings.", "Europe/Berlin")
    ] = ""
    deps: Annotated[
        Sequence[dg.ResolvedAssetKey], _option("Assets that build the site; a materialization starts a run.")
    ] = ()
    keys: Annotated[
        Mapping[str, str],
        _option("Asset key per stage; default: the prefix and the stage's name.", {"search_index": "docs/index"}),
    ] = field(default_factory=dict)
    translation: Annotated[TranslationFn[SiteAsset] | None, _translated()] = None

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
            timezone=self.timezone,
            deps=self.deps,
            keys={stage: dg.AssetKey.from_user_string(key) for stage, key in self.keys.items()},
            translation=self.translation,
        )


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
