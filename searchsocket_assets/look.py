"""How a project's assets look in Dagster: whose they are, and what its pages are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from searchsocket.errors import SearchSocketError
from searchsocket.project.project import open_project
from searchsocket.sources import make_source
from searchsocket.sources.base import SourceOrigin

PROJECT_VARIABLE = "SEARCHSOCKET_PROJECT"
_KINDS = {
    "static-output": {"html"},
    "content-files": {"markdown"},
    "crawl": {"html", "http"},
    "git-branch": {"markdown", "git"},
}
_GENERATOR_KINDS = {"SvelteKit": "svelte", "Next.js": "nextjs"}  # else the name itself, in small letters


@dataclass(frozen=True, slots=True)
class Look:
    """What a project says of its assets."""

    owners: tuple[str, ...] = ()
    source_kinds: frozenset[str] = frozenset({"html"})
    has_code: bool = False  # its source code is indexed too
    has_llms: bool = False  # llms.txt and its pages are written
    discovers_branches: bool = False  # whether the sensor for new branches runs from the start
    watches_builds: bool = False  # and that for new builds


def look_of_project(environ: Mapping[str, str]) -> Look:
    """The look of the project that Dagster's processes are started for; a plain one as far as it cannot be read.

    What is wrong with a project is for its runs to say: the graph is shown all the same.
    """
    root, look = environ.get(PROJECT_VARIABLE, ""), Look()
    try:
        project = open_project(Path(root) if root else Path.cwd(), environ)
        settings = project.settings
        look = replace(
            look,
            owners=settings.dagster.owners,
            has_code=settings.code.enable,
            has_llms=settings.llms.enable,
            discovers_branches=settings.branches.discover,
            watches_builds=settings.branches.watch,
        )
        origin = make_source(project.root, project.settings, None, scope="main").origin
    except (SearchSocketError, OSError):
        return look
    return replace(look, source_kinds=source_kinds(origin))


def source_kinds(origin: SourceOrigin) -> frozenset[str]:
    """What the pages of a source are made of, and by which tool."""
    name = origin.generator
    made_by = {_GENERATOR_KINDS.get(name, "".join(name.lower().split()))} if name else set()
    return frozenset(_KINDS[origin.mode] | made_by)
