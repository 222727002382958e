"""What tools ask: the pages and the source code of one scope, and how the scope is."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from typing import NamedTuple, Protocol

from searchsocket.errors import SearchSocketError
from searchsocket.project.project import Project
from searchsocket.serving.code import CodeService, open_code
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import OnError, SearchService, open_service
from searchsocket.text.amounts import age_s, ago
from searchsocket.types import Scope


class Services(NamedTuple):
    """What a project answers with."""

    service: SearchService
    code: Callable[[], CodeService]
    content: Callable[[], ContentService]


def open_services(
    project: Project,
    environ: Mapping[str, str],
    *,
    clock: Callable[[], datetime],
    on_error: OnError,
    service: SearchService | None = None,
) -> Services:
    """The services of a project; those of code and content are made when the first call needs them.

    Args:
        service: That is there already.

    Raises:
        ConfigError, ConfigMissing: A backend cannot be used.
    """
    search = service or open_service(project, environ, clock=clock, on_error=on_error)
    code = cache(partial(open_code, project, environ, clock=clock, on_error=on_error, site=search.store))
    content = cache(lambda: open_content(project, environ, search, code(), clock=clock, on_error=on_error))
    return Services(search, code, content)


@dataclass(frozen=True, slots=True)
class Library:
    """One scope of one project; safe to share between threads."""

    project: Project
    service: SearchService
    code: Callable[[], CodeService]
    content: Callable[[], ContentService]
    scope: Scope
    clock: Callable[[], datetime]
    branch: str = ""  # that is checked out where the agent stands; "" where that is not known or means nothing

    @property
    def name(self) -> str:
        """The scope, and the branch where it is called otherwise."""
        other = f", branch {self.branch}" if self.branch and self.branch != self.scope.name else ""
        return f"scope {self.scope.name}{other}"

    def state(self, generation: str, age_seconds: float) -> str:
        """Which index answered, and how old it is."""
        return f"{self.name}; generation {generation}, indexed {ago(age_seconds)}"

    def folder(self, folder_id: str) -> str:
        """A folder that callers name, as one of this scope; what is none stays so, for whoever refuses it."""
        kind = folder_id.rpartition("/")[2]
        return f"{self.scope.name}/{kind}" if kind in ("site", "code") else folder_id

    def age_s(self, published_at: str) -> float:
        """Seconds since a generation was published."""
        return age_s(published_at, self.clock())

    def others(self) -> Sequence[str]:
        """Scopes of the project that are indexed."""
        with suppress(SearchSocketError):
            return sorted(generation.scope for generation in self.service.store.list_scopes())
        return ()


class Libraries(Protocol):
    """Finds what a call is about."""

    def find(self, scope: str) -> Library:
        """The library of a scope or branch; "" means the current one.

        Raises:
            InvalidScope, ConfigError, ConfigMissing: There can be none.
        """

    @property
    def is_open(self) -> bool:
        """Whether the next call is answered at once: an index is opened, and its model loaded."""


@dataclass(frozen=True, slots=True)
class ServedLibraries:
    """Those of a service, whose callers are trusted."""

    project: Project
    services: Services
    clock: Callable[[], datetime]

    def find(self, scope: str) -> Library:
        found = self.services.service.scopes.find(scope or None, trusted=True)
        return Library(self.project, *self.services, found, self.clock)

    @property
    def is_open(self) -> bool:
        return True  # a service warms up before it listens
