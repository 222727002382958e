"""Data of tools: the pages and the source code of one scope, and its state."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from searchsocket.agents.offer import corpora_of, offered
from searchsocket.errors import InvalidRequest, SearchSocketError
from searchsocket.project.project import Project
from searchsocket.search.answer import Note
from searchsocket.serving.capabilities.base import AGENT, Services
from searchsocket.serving.service import SearchService
from searchsocket.text.amounts import age_s, ago
from searchsocket.types import Scope


@dataclass(frozen=True, slots=True)
class Library:
    """One scope of one project; safe to share between threads."""

    project: Project
    services: Services
    scope: Scope
    clock: Callable[[], datetime]
    branch: str = ""  # that is checked out where the agent stands; "" where that is not known or means nothing
    has_pages: bool = True
    tools: frozenset[str] = frozenset()  # that are offered, so that an answer names no other
    main_checkout: str = ""  # its folder, where its index and files answer for a worktree
    listed_name: str = ""  # of the project in a server of several; "" in a server of one

    def next(self, tool: str, text: str) -> str:
        """A text that sends to a tool; "" if the tool is not offered."""
        return text if tool in self.tools else ""

    @property
    def service(self) -> SearchService:
        """The search service of the project."""
        return self.services.search()

    @property
    def name(self) -> str:
        """The scope, the branch where it is called otherwise, and the checkout where it is another one."""
        branch = f", branch {self.branch}" if self.branch and self.branch != self.scope.name else ""
        checkout = f", from the main checkout {self.main_checkout}" if self.main_checkout else ""
        return f"scope {self.scope.name}{branch}{checkout}"

    def state(self, generation: str, age_seconds: float) -> str:
        """The index that answered, and its age."""
        return f"{self.name}; generation {generation}, indexed {ago(age_seconds)}"

    def folder(self, folder_id: str) -> str:
        """A folder that callers name, as one of this scope; what is none stays so, for whoever refuses it.

        "" means the pages, or the source code where there are none.
        """
        kind = folder_id.rpartition("/")[2] or ("site" if self.has_pages else "code")
        return f"{self.scope.name}/{kind}" if kind in ("site", "code") else folder_id

    def version(self, project: str) -> str:
        """The version that `NAME@VERSION` selects in this project; "" if it selects none.

        Raises:
            InvalidRequest: It names another project.
        """
        name = self.listed_name or self.project.id
        version = version_in(project, name) if project else ""
        if version is None:
            raise InvalidRequest(f"this server has the project {name!r}, not {project!r}")
        return version

    def file_path(self, url: str) -> str:
        """The document of a page; raises as `SearchService.page`."""
        page_url = self.service.page(url, self.scope).page.facts.url
        return self.services.content().folder(self.folder("site"), trusted=True).file_path(page_url)

    def age_s(self, published_at: str) -> float:
        """Seconds since a generation was published."""
        return age_s(published_at, self.clock())

    def freshen(self, *, first: bool) -> tuple[Note, ...]:
        """See `CodeKeeper.freshen`."""
        keeper = self.services.keeper
        next_step = "call `sync`" if "sync" in self.tools else "run `searchsocket code sync`"
        return keeper.freshen(self.scope.name, first=first, next_step=next_step) if keeper else ()

    def check(self) -> None:
        """Open the index.

        Raises:
            SearchSocketError: It cannot answer.
        """
        if self.has_pages:
            self.service.store.reader(self.scope)
        elif "search_code" in self.tools:
            self.services.code().generation(self.scope.name)

    def others(self) -> Sequence[str]:
        """Scopes of the project that are indexed."""
        with suppress(SearchSocketError):
            return sorted(generation.scope for generation in self.service.store.list_scopes())
        return ()


class Libraries(Protocol):
    """Finds what a call is about."""

    @property
    def tools(self) -> Sequence[str]:
        """The names of the tools that are offered now."""

    @property
    def projects(self) -> Sequence[str]:
        """The names of the projects, the default first, if there are several; else nothing."""

    def find(self, scope: str, project: str = "") -> Library:
        """The library of a scope or branch; "" means the current one.

        Args:
            project: As a call names it. A server of one project finds that one, and `Library.version` checks the name.

        Raises:
            InvalidScope, ConfigError, ConfigMissing: There can be none.
        """

    def warm_up(self) -> None:
        """Open the index before the first call; an error waits for that call."""

    @property
    def is_open(self) -> bool:
        """Return True if the next call is answered at once: an index is open and its model is loaded."""


LibraryMakers = Mapping[str, Callable[[], Libraries]]
"""Functions that open several projects, by name."""


@dataclass(frozen=True, slots=True)
class ServedLibraries:
    """Those of a service, whose callers are trusted."""

    project: Project
    services: Services
    clock: Callable[[], datetime]

    @property
    def tools(self) -> Sequence[str]:
        settings = self.project.settings
        _, code = corpora_of(self.project)
        keeper = self.services.keeper
        return offered(settings.mcp.tools, pages=True, code=code, sync=keeper is not None and keeper.may_sync)

    @property
    def projects(self) -> Sequence[str]:
        return ()

    def find(self, scope: str, project: str = "") -> Library:
        served_scope = self.services.scope(scope or None, AGENT)
        return Library(self.project, self.services, served_scope, self.clock, tools=frozenset(self.tools))

    @property
    def is_open(self) -> bool:
        return True  # a service warms up before it listens

    def warm_up(self) -> None:
        """Nothing to do."""


def version_in(project: str, name: str) -> str | None:
    """The version in `NAME@VERSION`; "" for the name alone, None if it is another project's."""
    if project == name:
        return ""
    version = project.removeprefix(f"{name}@")
    return version if version and version != project else None
