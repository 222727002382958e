"""The checkout in which an agent works: its project, branch and index, and the libraries of a server that it starts."""

import subprocess
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from searchsocket.agents.library import Library, contents_of, offered_tools
from searchsocket.errors import ConfigMissing, ScopeNotIndexed, SearchSocketError
from searchsocket.pipeline.run.context import SITE
from searchsocket.project.location import is_configured
from searchsocket.project.project import Project, open_project
from searchsocket.project.scopes import git_branch
from searchsocket.serving.capabilities.base import Services
from searchsocket.serving.parts import Keeping
from searchsocket.serving.service import OnError
from searchsocket.serving.services import open_services
from searchsocket.system.git import ask_git
from searchsocket.text.hidden import visible
from searchsocket.types import Scope


@dataclass(frozen=True)
class Worktree:
    """A project in one checkout of its repository."""

    root: Path
    environ: Mapping[str, str]

    @property
    def branch(self) -> str:
        """Branch that is checked out now; "" outside of a repository, and with a detached HEAD."""
        try:
            return git_branch(self.root)
        except ConfigMissing:
            return ""

    @cached_property
    def project(self) -> Project:
        """Project in this checkout."""
        return open_project(self.root, self.environ)

    @cached_property
    def main_checkout(self) -> Project | None:
        """Project in the main checkout of the repository; None if this is the main checkout.

        Each checkout has its own state folder, and the scopes of branches may be indexed in that of the main checkout.
        """
        top, common = _git_paths(self.root)
        if top is None or common is None or common.name != ".git" or common.parent == top:
            return None
        folder = common.parent / self.root.relative_to(top)
        return open_project(folder, self.environ) if folder.is_dir() else None


class CheckoutLibraries:
    """Answers for the branch that is checked out at the time of a call; trusted, since the user can read the files."""

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str],
        *,
        scope: str | None = None,
        tools: Collection[str] | None = None,
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
        self._on_error = on_error
        self._opened: dict[Path, Services] = {}
        self._lock = threading.Lock()

    @property
    def tools(self) -> Sequence[str]:
        project = self.worktree.project
        contents = contents_of(project, self.worktree.main_checkout)
        return offered_tools(self._tools, project.settings, contents, sync=project.settings.mcp.sync is not False)

    @property
    def projects(self) -> Sequence[str]:
        return ()

    def find(self, scope: str, project: str = "") -> Library:
        """Return the library of a scope; without an index in this checkout, that of the main checkout."""
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
        has_pages = SITE.name in contents_of(self.worktree.project, self.worktree.main_checkout)
        return Library(
            self._services(project),
            own,
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

    def _keeping(self, project: Project) -> Keeping | None:
        """Return how a project's index is kept; None for the main checkout, which may have another branch."""
        if project.root != self.worktree.project.root:
            return None
        return Keeping(project.settings.mcp.sync is not False, self._scope)

    def _services(self, project: Project) -> Services:
        with self._lock:
            if project.root not in self._opened:
                self._opened[project.root] = open_services(
                    project, self._environ, on_error=self._on_error, keeping=self._keeping(project)
                )
            return self._opened[project.root]


def project_around(folder: Path) -> Path:
    """Return the nearest folder, from this one up, that configures or indexes a project; else the repository's top."""
    folder = folder.resolve()
    top, _ = _git_paths(folder)
    for candidate in (folder, *folder.parents):
        if is_configured(candidate):
            return candidate
        if candidate == top:
            break
    return top or folder


def is_project(folder: Path) -> bool:
    """Return True if a folder configures or indexes a project, or is the top of a repository."""
    return is_configured(folder) or _git_paths(folder)[0] == folder


def _git_paths(folder: Path) -> tuple[Path | None, Path | None]:
    """Return the top of the checkout, and the Git folder that all checkouts share; None outside of a repository."""
    try:
        answer = ask_git(folder, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
    except (OSError, subprocess.SubprocessError):
        return None, None
    lines = answer.splitlines()
    return (Path(lines[0]).resolve(), Path(lines[1]).resolve()) if len(lines) == 2 else (None, None)
