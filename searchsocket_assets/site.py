"""One project inside a Dagster deployment: its folder, and the names and traits of its definitions."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import dagster as dg

from searchsocket.backends import Backends
from searchsocket.errors import ConfigMissing, InvalidScope, SearchSocketError
from searchsocket.events import OnEvent
from searchsocket.extensions import extensions
from searchsocket.pipeline.branches.scopes import existing_scopes, live_branches_or_error, named_scope
from searchsocket.pipeline.run.context import SITE, ScopeRun, corpora_by_name, corpora_of
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.pipeline.run.stages import every_stage, site_stages, staged_extensions
from searchsocket.project.project import Project, open_project
from searchsocket.project.scopes import sanitise_scope
from searchsocket.project.settings.model import LOCAL_EMBEDDERS
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.quality.candidate import golden_texts, judge_candidate
from searchsocket.sources import make_source
from searchsocket.sources.base import SourceOrigin
from searchsocket.state.project import ProjectState
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Scope
from searchsocket_assets.run.tags import BRANCH_TAG, HIDDEN, PARTITION_TAG, PROJECT_TAG, RANGE_TAGS

PROJECT_VARIABLE = "SEARCHSOCKET_PROJECT"
# Name of the partitions of a project with a Dagster home of its own: each scope is a partition of every asset. Names
# are global in a Dagster instance, not per code location.
NAME = "searchsocket_scope"
PAID_POOL = "searchsocket_paid_embeddings"
SCOPES, BRANCHES = "scopes", "branches"  # the asset without a stage, and its group
_POOL = "searchsocket"
_GENERATOR_KINDS = {"SvelteKit": "svelte", "Next.js": "nextjs"}  # otherwise the name in small letters


@dataclass(frozen=True, slots=True)
class ProjectTraits:
    """Facts about a project that its assets show; no run depends on them."""

    owners: tuple[str, ...] = ()
    source_kinds: frozenset[str] = frozenset({"html"})
    corpora: tuple[str, ...] = ()  # what is indexed besides the pages, e.g. code
    assets: tuple[str, ...] = ()  # of extensions that are on, see `Extension.assets`
    staged: frozenset[str] = frozenset()  # extensions whose stages follow those of the site
    discovers_branches: bool = False  # the sensor for new branches runs from the start
    watches_builds: bool = False  # the sensor for new builds runs from the start
    prunes_branches: bool = False  # the sensor for deleted branches runs from the start
    pays_for_embeddings: bool = False  # a provider on another machine makes the vectors
    max_age_days: float = 0.0  # of a live generation, before it counts as stale; 0 = no limit
    group: str = ""  # of the site's assets
    tags: Mapping[str, str] = field(default_factory=dict)  # of all definitions
    schedules: Mapping[str, str] = field(default_factory=dict)  # those that run from the start -> cron
    timezone: str = "UTC"  # of the schedules


def traits_of_project(environ: Mapping[str, str]) -> ProjectTraits:
    """Traits of the project for which Dagster's processes were started; defaults if it cannot be read.

    The graph is shown even if a project is broken; its runs report the problem.
    """
    root = environ.get(PROJECT_VARIABLE, "")
    return read_traits(Path(root) if root else Path.cwd(), environ)[1]


def read_traits(root: Path, environ: Mapping[str, str]) -> tuple[str, ProjectTraits]:
    """Id and traits of the project in a folder; the folder's name and default traits if it cannot be read."""
    project_id, traits = root.name, ProjectTraits()
    try:
        project = open_project(root, environ)
        project_id, settings = project.id, project.settings
        traits = replace(
            traits,
            owners=settings.dagster.owners,
            corpora=tuple(corpus.name for corpus in corpora_of(settings) if corpus is not SITE),
            assets=tuple(each.assets for each in extensions() if each.assets and each.is_on(settings)),
            staged=frozenset(staged_extensions(settings)),
            discovers_branches=settings.branches.discover,
            watches_builds=settings.branches.watch,
            pays_for_embeddings=settings.embeddings.provider not in LOCAL_EMBEDDERS,
            max_age_days=settings.dagster.max_age_days,
            timezone=settings.dagster.timezone,
        )
        origin = make_source(project.root, project.settings, None, scope="main").origin
    except (SearchSocketError, OSError):
        return project_id, traits
    return project_id, replace(traits, source_kinds=source_kinds(origin))


def source_kinds(origin: SourceOrigin) -> frozenset[str]:
    """The kinds of the pages of a source: their format and the tool that made them."""
    name = origin.generator
    made_by = {_GENERATOR_KINDS.get(name, "".join(name.lower().split()))} if name else set()
    return frozenset(source_kind(origin.mode).formats | made_by)


@dataclass(frozen=True, slots=True)
class SiteAsset:
    """One asset of a site, as a translation sees it."""

    name: str  # of the stage, such as `search_index`
    corpus: str  # `site`, `code` or `branches`
    site: str  # name of the site; "" in a deployment with one project


Translation = Callable[[dg.AssetSpec, SiteAsset], dg.AssetSpec]


@dataclass(frozen=True)
class DagsterSite:
    """One project inside a Dagster deployment.

    The default is a deployment with one project, whose definitions have plain names. Other projects have a `name` and
    a `key_prefix`, so that one deployment can contain many sites.
    """

    root: str = ""  # folder of the project; "" = from the environment of a run
    name: str = ""  # part of the names of jobs, sensors and schedules
    project_id: str = ""  # "" = unknown until a run opens the project
    key_prefix: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # stage -> its whole asset key
    translation: Translation | None = None  # changes keys, groups, tags, metadata and the like of the assets
    deps: tuple[dg.AssetKey, ...] = ()  # assets that build the site
    partitions_name: str = NAME
    site_pool: str = ""
    traits: ProjectTraits = field(default_factory=ProjectTraits)

    def open(self) -> Project:
        """Open the project.

        Raises:
            ConfigError: Its configuration is invalid.
        """
        root = self.root or os.environ.get(PROJECT_VARIABLE, "")
        return open_project(Path(root) if root else Path.cwd(), os.environ)

    def scope_run(self, run: dg.DagsterRun, options: RunOptions, on_event: OnEvent) -> ScopeRun:
        """Make the library's run for one Dagster run over one partition.

        Raises:
            InvalidScope: The run has no partition or several, or it is not a scope of this project.
        """
        project = self.open()
        branches = ProjectState(project.state_dir).branches()
        stated = run.tags.get(BRANCH_TAG, "")
        scope = named_scope(project, _scope_name_of(run), branches, stated)
        _require_scope(project, scope, branches, stated)
        return ScopeRun(
            project,
            scope,
            run.run_id,
            options,
            on_event,
            environ=os.environ,
            judge=judge_candidate,
            golden_texts=golden_texts,
        )

    def key(self, stage: str) -> dg.AssetKey:
        key = dg.AssetKey(self.keys.get(stage) or (*self.key_prefix, stage))
        return self.translation(dg.AssetSpec(key), self._asset(stage)).key if self.translation else key

    def translated(self, assets: dg.AssetsDefinition, name: str) -> dg.AssetsDefinition:
        """Apply the translation to an asset that was made with `key(name)`."""
        translation = self.translation
        if translation is None:
            return assets
        plain = replace(self, translation=None).key(name)

        def translate(spec: dg.AssetSpec) -> dg.AssetSpec:
            changed = translation(spec.replace_attributes(key=plain), self._asset(name))
            return changed.replace_attributes(key=spec.key)

        return assets.map_asset_specs(translate)

    def _asset(self, name: str) -> SiteAsset:
        corpora = (corpus.name for corpus in corpora_by_name().values() if name in every_stage(corpus))
        return SiteAsset(name, next(corpora, BRANCHES if name == SCOPES else SITE.name), self.name)

    def named(self, name: str) -> str:
        """The name of a job, sensor, schedule, op or check function in this deployment."""
        return f"{self.name}_{name}" if self.name else name

    def group(self, corpus: str) -> str:
        return self.traits.group or (f"{self.name}_{corpus}" if self.name else corpus)

    def tags(self, subject: str) -> dict[str, str]:
        """Tags for filtering definitions."""
        about = {"searchsocket/about": subject}
        return {**self.traits.tags, **about, **({"searchsocket/site": self.name} if self.name else {})}

    def job_tags(self, subject: str) -> dict[str, str]:
        """Tags of a job, which its runs have too."""
        about = {f"{HIDDEN}about": subject}
        site = {"searchsocket/site": self.name} if self.name else {}
        return {**self.traits.tags, **about, **site, **({PROJECT_TAG: self.project_id} if self.project_id else {})}

    def pool(self, stage: str) -> str:
        """The pool that limits a stage: one per site, and one for paid calls of all sites."""
        calls = self.traits.pays_for_embeddings and stage in ("chunk_embeddings", "code_embeddings")
        return PAID_POOL if calls else self.site_pool or (f"{_POOL}_{self.name}" if self.name else _POOL)

    @property
    def owners(self) -> list[str] | None:
        """Owners of jobs, sensors and schedules; None instead of an empty list, for which Dagster prints a warning."""
        return [*self.traits.owners] or None

    @property
    def options_key(self) -> str:
        """The resource with the options of a launch."""
        return f"{self.name}_options" if self.name else "options"

    def job_fields(self, name: str, subject: str) -> JsonObject:
        """Name, tags, owners and executor of a job."""
        fields = {"name": self.named(name), "tags": self.job_tags(subject), "owners": self.owners}
        return {**fields, "executor_def": dg.in_process_executor}

    def sensor_fields(self, name: str, subject: str, *, runs: bool) -> JsonObject:
        """Name, tags, owners and status of a sensor; people can switch each one in the UI."""
        status = dg.DefaultSensorStatus.RUNNING if runs else dg.DefaultSensorStatus.STOPPED
        fields = {"name": self.named(name), "tags": self.tags(subject), "owners": self.owners}
        return {**fields, "default_status": status}

    def schedule_fields(self, name: str, cron: str, subject: str) -> JsonObject:
        """Name, tags, owners, times and status of a schedule; it runs from the start if the site sets its times."""
        cron_time = self.traits.schedules.get(name)
        status = dg.DefaultScheduleStatus.RUNNING if cron_time else dg.DefaultScheduleStatus.STOPPED
        fields = {"name": self.named(name), "tags": self.tags(subject), "owners": self.owners}
        times = {"cron_schedule": cron_time or cron, "execution_timezone": self.traits.timezone}
        return {**fields, **times, "default_status": status}

    @cached_property
    def partitions(self) -> dg.DynamicPartitionsDefinition:
        return dg.DynamicPartitionsDefinition(name=self.partitions_name)

    @property
    def has_own_partitions(self) -> bool:
        """Return True if only this project uses the partitions, or another one with the same id."""
        return self.partitions_name != NAME


def job_stages(site: DagsterSite, corpus: str) -> Mapping[str, AnyStage]:
    """The stages in the job of a corpus, by name."""
    return site_stages(site.traits.staged) if corpus == SITE.name else every_stage(corpora_by_name()[corpus])


def _partition_of(run: dg.DagsterRun) -> str:
    """Return the partition of a run, or the only one of its range.

    Raises:
        InvalidScope: There is none, or there are several.
    """
    first, last = (run.tags.get(tag, "") for tag in RANGE_TAGS)
    partition = run.tags.get(PARTITION_TAG) or (first if first == last else "")
    if not partition:
        what = f"has the partitions {first!r} to {last!r}" if first else "has no partition"
        raise InvalidScope(
            f"this run {what}, but a run indexes one scope: launch a backfill, select one partition in Dagster's UI, "
            f'or add --tags \'{{"{PARTITION_TAG}": "SCOPE"}}\' to `dagster job execute`'
        )
    return partition


def _scope_name_of(run: dg.DagsterRun) -> str:
    """Return the partition of a run.

    Raises:
        InvalidScope: It is none, or the name of a branch.
    """
    partition = _partition_of(run)
    if (name := sanitise_scope(partition)) != partition:
        raise InvalidScope(
            f"{partition[:80]!r} is the name of a branch; its partition is {name!r}: launch that one, which the sensor "
            f"`new_branches` adds"
        )
    return partition


def _require_scope(project: Project, scope: Scope, scopes: Mapping[str, str], stated: str) -> None:
    """Refuse a scope that is neither a branch, nor a stored scope, nor a requested name of the project.

    Args:
        scopes: Scope -> branch, from the state.
        stated: The branch that the run was requested for.

    Raises:
        InvalidScope: The scope is none of them.
    """
    if scope.name in scopes or _is_requested(project, scope.name, stated) or _exists(project, scope.name):
        return
    branches, problem = live_branches_or_error(project)
    if branches is not None and scope.name in branches.scopes():
        return
    why = f" ({problem.code}: {problem})" if problem else ""
    raise InvalidScope(
        f"{scope.name!r} is not a branch or scope of project {project.id!r}{why}; to index it "
        f"anyway, launch again with the run tag {BRANCH_TAG} = {scope.name}, or run "
        f"`searchsocket index --scope {scope.name}`"
    )


def _is_requested(project: Project, name: str, stated: str) -> bool:
    """Return True if the run names the branch, or the settings name the scope."""
    with suppress(ConfigMissing, InvalidScope):
        if stated and sanitise_scope(stated) == name:
            return True
    with suppress(ConfigMissing, InvalidScope):
        return project.scope(os.environ).name == name
    return False


def _exists(project: Project, name: str) -> bool:
    try:
        scopes, _ = existing_scopes(project, Backends(project, os.environ, calls=False).store)
    except SearchSocketError:  # the run reports it
        return False
    return name in {scope.name for scope in scopes}


def ensure_scope(instance: dg.DagsterInstance, scope: str) -> None:
    """Add `scope` as a partition, even if other processes do the same."""
    from sqlalchemy.exc import IntegrityError  # loaded with an instance, but not with definitions

    if instance.has_dynamic_partition(NAME, scope):
        return
    try:
        instance.add_dynamic_partitions(NAME, [scope])
    except IntegrityError:
        # Dagster selects, then inserts: in a race, the second insert fails on an existing partition.
        if not instance.has_dynamic_partition(NAME, scope):
            raise
