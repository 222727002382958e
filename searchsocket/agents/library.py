"""What tools ask: the pages and the source code of one scope, and how the scope is."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from searchsocket.errors import SearchSocketError
from searchsocket.project.project import Project
from searchsocket.search.quoting.results import age_s
from searchsocket.serving.code import CodeService
from searchsocket.serving.service import SearchService
from searchsocket.text.amounts import ago
from searchsocket.types import Scope


@dataclass(frozen=True, slots=True)
class Library:
    """One scope of one project; safe to share between threads."""

    project: Project
    service: SearchService
    code: Callable[[], CodeService]
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
    service: SearchService
    code: Callable[[], CodeService]
    clock: Callable[[], datetime]

    def find(self, scope: str) -> Library:
        found = self.service.scopes.find(scope or None, trusted=True)
        return Library(self.project, self.service, self.code, found, self.clock)

    @property
    def is_open(self) -> bool:
        return True  # a service warms up before it listens
