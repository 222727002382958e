"""Libraries of a server that an agent starts itself: those of the checkout in which it works."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from searchsocket.agents.data import visible
from searchsocket.agents.library import Library
from searchsocket.agents.offer import corpora_of, offered_tools
from searchsocket.agents.worktree import Worktree
from searchsocket.errors import ScopeNotIndexed, SearchSocketError
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.base import Services
from searchsocket.serving.code_keeper import CodeKeeper
from searchsocket.serving.services import open_services
from searchsocket.types import Scope

OnError = Callable[[BaseException], None]


class CheckoutLibraries:
    """Answers for the branch that is checked out at the time of a call; trusted, since the user can read the files."""

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str],
        *,
        scope: str | None = None,
        tools: Collection[str] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_error: OnError = lambda _: None,
    ) -> None:
        """
        Args:
            scope: Scope to search instead of that of the branch.
            tools: Tools to offer instead of those of the settings.
        """
        self.worktree = Worktree(root, environ)
        self._environ = environ
        self._scope = scope
        self._tools = self.worktree.project.settings.mcp.tools if tools is None else tools
        self._clock = clock
        self._on_error = on_error
        self._opened: dict[Path, Services] = {}
        self._lock = threading.Lock()

    @property
    def tools(self) -> Sequence[str]:
        project = self.worktree.project
        pages, code = corpora_of(project, self.worktree.main_checkout)
        return offered_tools(self._tools, pages=pages, code=code, sync=project.settings.mcp.sync is not False)

    @property
    def projects(self) -> Sequence[str]:
        return ()

    def find(self, scope: str, project: str = "") -> Library:
        """See `Libraries.find`; if this checkout has no index of the scope, that of the main checkout answers."""
        own = self.worktree.project
        scope_of_checkout = own.scope(self._environ, scope or self._scope)
        main = self.worktree.main_checkout if own.settings.scope.mode == "git" or scope else None
        if main is not None and not self._has(own, scope_of_checkout) and self._has(main, scope_of_checkout):
            return self._library(main, scope_of_checkout)
        return self._library(own, scope_of_checkout)

    @property
    def is_open(self) -> bool:
        return bool(self._opened)

    def warm_up(self) -> None:
        """Open the index and load its model before the first call; an error is reported by that call."""
        try:
            library = self.find("")
            if "search" in library.tools:
                library.service.warm_up()
        except SearchSocketError:
            return

    def _library(self, project: Project, scope: Scope) -> Library:
        own = Scope(project.id, scope.name)
        has_pages, _ = corpora_of(self.worktree.project, self.worktree.main_checkout)
        return Library(
            project,
            self._services(project),
            own,
            self._clock,
            self.worktree.branch,
            has_pages,
            frozenset(self.tools),
            main_checkout="" if project.root == self.worktree.project.root else visible(str(project.root)),
        )

    def _has(self, project: Project, scope: Scope) -> bool:
        service = self._services(project).search()
        try:
            service.store.answering(Scope(project.id, scope.name))
        except ScopeNotIndexed:
            return False
        except SearchSocketError:
            return True  # it exists; a call reports its error
        return True

    def _keeper(self, project: Project) -> CodeKeeper | None:
        """Return the keeper of a project's index; None for the main checkout, which may have another branch."""
        if project.root != self.worktree.project.root:
            return None
        return CodeKeeper(
            project,
            self._environ,
            scope=self._scope,
            may_sync=project.settings.mcp.sync is not False,
            clock=self._clock,
        )

    def _services(self, project: Project) -> Services:
        with self._lock:
            if project.root not in self._opened:
                self._opened[project.root] = open_services(
                    project, self._environ, clock=self._clock, on_error=self._on_error, keeper=self._keeper(project)
                )
            return self._opened[project.root]
