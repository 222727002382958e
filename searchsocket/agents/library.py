"""Data of tools: the pages and the source code of one scope, and its state; and the tools that a server offers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from searchsocket.errors import InvalidRequest, SearchSocketError
from searchsocket.extensions import extensions
from searchsocket.pipeline.run.context import SITE, corpora_by_name
from searchsocket.project.project import Project, index_folder
from searchsocket.project.settings.features import ToolSet
from searchsocket.project.settings.load import config_table, tables_of
from searchsocket.project.settings.model import Settings
from searchsocket.search.answer import Note
from searchsocket.serving.capabilities.all_capabilities import CAPABILITIES, TOOL_NAMES, capabilities_of
from searchsocket.serving.capabilities.base import AGENT, Services
from searchsocket.serving.service import SearchService
from searchsocket.text.amounts import age_s, ago
from searchsocket.types import Scope

_AGENTS = [capability.agent for capability in CAPABILITIES if capability.agent]
SETS: dict[ToolSet, frozenset[str]] = {
    "core": frozenset(agent.name for agent in _AGENTS if agent.toolset == "core"),
    "content": frozenset(agent.name for agent in _AGENTS if agent.toolset == "content"),
    "all": frozenset(TOOL_NAMES),
}
OF_CORPUS: dict[str, frozenset[str]] = {  # tools that are not offered without this content
    corpus: frozenset(agent.name for agent in _AGENTS if agent.corpus == corpus)
    for corpus in {agent.corpus for agent in _AGENTS if agent.corpus}
}
WRITES = frozenset(agent.name for agent in _AGENTS if agent.is_writing)


@dataclass(frozen=True, slots=True)
class Library:
    """One scope of one project; safe to share between threads."""

    services: Services
    scope: Scope
    branch: str = ""  # checked out in the agent's folder; "" if unknown or not applicable
    has_pages: bool = True
    tools: frozenset[str] = frozenset()  # offered tools; an answer names no others
    main_checkout: str = ""  # folder of the main checkout, if its index and files answer for a worktree
    listed_name: str = ""  # of the project in a server of several projects; "" in a server of one

    def next(self, tool: str, text: str) -> str:
        """Return a text that refers to a tool; "" if the tool is not offered."""
        return text if tool in self.tools else ""

    @property
    def project(self) -> Project:
        """The project of the scope."""
        return self.services.project

    @property
    def service(self) -> SearchService:
        """Search service of the project."""
        return self.services.search()

    @property
    def name(self) -> str:
        """Scope, with the branch if its name differs, and with the main checkout if that answers."""
        branch = f", branch {self.branch}" if self.branch and self.branch != self.scope.name else ""
        checkout = f", from the main checkout {self.main_checkout}" if self.main_checkout else ""
        return f"scope {self.scope.name}{branch}{checkout}"

    def state(self, generation: str, age_seconds: float) -> str:
        """Return a text with the index that answered, and its age."""
        return f"{self.name}; generation {generation}, indexed {ago(age_seconds)}"

    def folder(self, folder_id: str) -> str:
        """Return the full id of a folder in this scope; "" means the pages, or other content if there are none.

        An unknown folder is returned unchanged; the capability then refuses it.
        """
        kinds = (SITE.name, *(extension.name for extension in extensions() if extension.contents))
        kind = folder_id.rpartition("/")[2] or kinds[0 if self.has_pages or len(kinds) == 1 else 1]
        return f"{self.scope.name}/{kind}" if kind in kinds else folder_id

    def version(self, project: str) -> str:
        """Return the version that `NAME@VERSION` selects in this project; "" if it selects none.

        Raises:
            InvalidRequest: The name is that of another project.
        """
        name = self.listed_name or self.project.id
        version = version_in(project, name) if project else ""
        if version is None:
            raise InvalidRequest(f"this server has the project {name!r}, not {project!r}")
        return version

    def file_path(self, url: str) -> str:
        """Return the document of a page; raises as `SearchService.page`."""
        page_url = self.service.page(url, self.scope).page.facts.url
        return self.services.content().folder(self.folder("site"), trusted=True).file_path(page_url)

    def age_s(self, published_at: str) -> float:
        """Return the seconds since a generation was published."""
        return age_s(published_at, self.services.clock())

    def sync_if_stale(self, *, first: bool) -> tuple[Note, ...]:
        """Index changes of the source code before an answer about it; see `Part.sync_if_stale`."""
        next_step = "call `sync`" if "sync" in self.tools else "run `searchsocket code sync`"
        parts = (part() for part in self.services.parts.values())
        return tuple(
            note for part in parts for note in part.sync_if_stale(self.scope.name, first=first, next_step=next_step)
        )

    def check(self) -> None:
        """Open the index.

        Raises:
            SearchSocketError: The index cannot answer.
        """
        if self.has_pages:
            self.service.store.reader(self.scope)
        else:
            for part in self.services.parts.values():
                part().check(self.scope.name)

    def others(self) -> Sequence[str]:
        """Return the indexed scopes of the project; empty if they cannot be listed."""
        with suppress(SearchSocketError):
            return sorted(generation.scope for generation in self.service.store.list_scopes())
        return ()


class Libraries(Protocol):
    """Finds the library of a call."""

    @property
    def tools(self) -> Sequence[str]:
        """Names of the tools that are offered now."""

    @property
    def projects(self) -> Sequence[str]:
        """Names of the projects, the default first; empty in a server of one project."""

    def find(self, scope: str, project: str = "") -> Library:
        """Return the library of a scope or branch; "" means the current one.

        Args:
            project: Name in the call. A server of one project ignores it here; `Library.version` checks the name.

        Raises:
            InvalidScope, ConfigError, ConfigMissing: The scope name or the configuration is not valid.
        """

    def warm_up(self) -> None:
        """Open the index before the first call; an error is reported by that call."""

    @property
    def is_open(self) -> bool:
        """True if the next call is answered at once: an index is open and its model is loaded."""


LibraryMakers = Mapping[str, Callable[[], Libraries]]  # functions that open several projects, by name
WithOthers = Callable[[str, Libraries], Libraries]  # adds other projects to the libraries of a project with this name


@dataclass(frozen=True, slots=True)
class ServedLibraries:
    """Libraries of a service with trusted callers."""

    services: Services

    @property
    def tools(self) -> Sequence[str]:
        project = self.services.project
        settings = project.settings
        sync = any(part().may_sync for part in self.services.parts.values())
        return offered_tools(settings.mcp.tools, settings, {SITE.name, *contents_of(project)}, sync=sync)

    @property
    def projects(self) -> Sequence[str]:
        return ()

    def find(self, scope: str, project: str = "") -> Library:
        return Library(self.services, self.services.scope(scope or None, AGENT), tools=frozenset(self.tools))

    @property
    def is_open(self) -> bool:
        return True  # a service warms up before it listens

    def warm_up(self) -> None:
        """Nothing to do."""


def version_in(project: str, name: str) -> str | None:
    """Return the version in `NAME@VERSION`; "" for the name only, None if the name is another project's."""
    if project == name:
        return ""
    version = project.removeprefix(f"{name}@")
    return version if version and version != project else None


def offered_tools(
    chosen: Collection[str], settings: Settings, corpora: Collection[str], *, sync: bool = False
) -> Sequence[str]:
    """Return the names of the offered tools: those of the chosen sets that have content, and tools chosen by name.

    Args:
        chosen: Names of sets and of tools; empty means all.
        settings: Of the project. They may turn extensions off.
        corpora: Those that have content, or will have some.
        sync: True if agents may index changes.
    """
    names = frozenset().union(*(SETS[name] for name in SETS if name in (chosen or ("all",))))
    useless = frozenset().union(*(tools for corpus, tools in OF_CORPUS.items() if corpus not in corpora))
    useful = (names - useless) | frozenset(chosen)
    # Tools of a corpus are offered where it has content, also if the settings do not index it.
    on = {each.agent.name for each in capabilities_of(settings) if each.agent}.union(*OF_CORPUS.values())
    return [name for name in TOOL_NAMES if name in useful & on and (sync or name not in WRITES)]


def contents_of(project: Project, main_checkout: Project | None = None) -> frozenset[str]:
    """Return the corpora of a project that have content to search.

    Indexed content counts, and content that the settings configure. A folder without any counts as all but pages: the
    first search indexes it.

    Args:
        main_checkout: The same project in the main checkout, whose index may answer.
    """
    pages = any(map(_has_index, (project, *([main_checkout] if main_checkout else []))))
    others = [corpus for corpus in corpora_by_name().values() if corpus is not SITE]
    found = [corpus for corpus in others if corpus.is_enabled(project.settings) or _has_index(corpus.home(project))]
    file, keys = config_table(project.root)
    if not pages and file is not None:
        pages = not found or "source" in tables_of(file, keys)
    return frozenset(corpus.name for corpus in (*([SITE] if pages else []), *(found if found or pages else others)))


def _has_index(project: Project) -> bool:
    folder = index_folder(project.settings.vector, project.state_dir)
    try:
        return any(entry.is_dir() for entry in folder.iterdir())
    except OSError:
        return False
