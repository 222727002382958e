"""Several projects in one server: each has its own libraries, opened by the first call that names the project."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from searchsocket.agents.library import SETS, WRITES, Libraries, Library, LibraryMakers, version_in
from searchsocket.errors import InvalidRequest, SearchSocketError
from searchsocket.serving.capabilities.all_capabilities import TOOL_NAMES


class ProjectLibraries:
    """Libraries by the name of their project; the first is the default."""

    def __init__(self, makers: LibraryMakers) -> None:
        """
        Args:
            makers: Open the libraries of each project. If one raises, calls for that project report its error; the
                other projects keep working.
        """
        self._makers = dict(makers)
        self._opened: dict[str, Libraries] = {}
        self._lock = threading.Lock()

    @property
    def projects(self) -> Sequence[str]:
        return tuple(self._makers)

    @property
    def tools(self) -> Sequence[str]:
        """Names of the tools that at least one project offers."""
        names = frozenset[str]().union(*map(self._tools_of, self._makers))
        return [name for name in TOOL_NAMES if name in names]

    def find(self, scope: str, project: str = "") -> Library:
        """Return the library of a scope of a project.

        Raises:
            InvalidRequest: No project has this name.
        """
        name = self._name(project)
        return replace(self._libraries(name).find(scope), listed_name=name)

    @property
    def is_open(self) -> bool:
        """True if the default project is open."""
        first = self._opened.get(self.projects[0])
        return first is not None and first.is_open

    def warm_up(self) -> None:
        """Open the default project; an error is reported by the first call."""
        with suppress(SearchSocketError):
            self._libraries(self.projects[0]).warm_up()

    def _name(self, project: str) -> str:
        if not project:
            return self.projects[0]
        # The longest name wins, since the name of a project may itself be `docs@1`.
        matches = [name for name in self._makers if version_in(project, name) is not None]
        if not matches:
            raise InvalidRequest(f"no project {project[:80]!r}; this server has {', '.join(map(repr, self._makers))}")
        return max(matches, key=len)

    def _libraries(self, name: str) -> Libraries:
        with self._lock:
            if name not in self._opened:
                self._opened[name] = self._makers[name]()
            return self._opened[name]

    def _tools_of(self, name: str) -> Sequence[str]:
        try:
            return self._libraries(name).tools
        except SearchSocketError:
            return sorted(SETS["core"] - WRITES)  # a call reports the error


def beside(others: LibraryMakers, name: str, own: Libraries) -> Libraries:
    """Return the libraries of a project with those of others; its name hides another one of the same name."""
    return ProjectLibraries({name: lambda: own, **{other: make for other, make in others.items() if other != name}})
