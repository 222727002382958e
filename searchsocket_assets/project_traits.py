"""Facts about a project that its assets in Dagster show: owners, kinds, triggers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from searchsocket.errors import SearchSocketError
from searchsocket.project.project import open_project
from searchsocket.project.settings.model import LOCAL_EMBEDDERS
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.sources import make_source
from searchsocket.sources.base import SourceOrigin

PROJECT_VARIABLE = "SEARCHSOCKET_PROJECT"
_GENERATOR_KINDS = {"SvelteKit": "svelte", "Next.js": "nextjs"}  # otherwise the name in small letters


@dataclass(frozen=True, slots=True)
class ProjectTraits:
    """Facts about a project that its assets show; no run depends on them."""

    owners: tuple[str, ...] = ()
    source_kinds: frozenset[str] = frozenset({"html"})
    has_code: bool = False  # its source code is indexed too
    has_demand: bool = False  # its service records searches
    has_llms: bool = False  # llms.txt and its pages are written
    has_static: bool = False  # the index is exported for search without a server
    discovers_branches: bool = False  # the sensor for new branches runs from the start
    watches_builds: bool = False  # the sensor for new builds runs from the start
    prunes_branches: bool = False  # the sensor for deleted branches runs from the start
    pays_for_embeddings: bool = False  # a provider on another machine makes the vectors
    max_age_days: float = 0.0  # of a live generation, before it counts as stale; 0 = no limit
    group: str = ""  # of the site's assets
    tags: Mapping[str, str] = field(default_factory=dict)  # of all definitions
    schedules: Mapping[str, str] = field(default_factory=dict)  # those that run from the start -> cron


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
            has_code=settings.code.enable,
            has_demand=settings.demand.enable,
            has_llms=settings.llms.enable,
            has_static=settings.export.static,
            discovers_branches=settings.branches.discover,
            watches_builds=settings.branches.watch,
            pays_for_embeddings=settings.embeddings.provider not in LOCAL_EMBEDDERS,
            max_age_days=settings.dagster.max_age_days,
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
