"""Libraries of agents: of several projects in one server, and of a pushed index without a checkout."""

import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from searchsocket.agents.library import (
    SETS,
    WRITES,
    Libraries,
    Library,
    LibraryMakers,
    ServedLibraries,
    offered_tools,
    version_in,
)
from searchsocket.errors import InvalidRequest, SearchSocketError
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.models.embedders.cache_place import cache_folder
from searchsocket.pipeline.run.context import SITE
from searchsocket.project.location import current_folder
from searchsocket.project.project import Project, open_project
from searchsocket.project.settings.model import StateSettings
from searchsocket.serving.capabilities.all_capabilities import TOOL_NAMES
from searchsocket.serving.service import OnError, open_service
from searchsocket.serving.services import open_services
from searchsocket.system.errors import system_errors
from searchsocket.system.files import make_private_folder


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


def pulled_home(environ: Mapping[str, str]) -> Project:
    """Return the project without settings into which pushed indexes are fetched: a folder of the user's caches.

    If that cannot be written, it is in the state folder of the current folder.

    Raises:
        StateUnavailable: The folder cannot be made.
    """
    here = current_folder()
    folder = cache_folder(environ, here, here / StateSettings().dir) / "artifacts"
    with system_errors("cannot make", folder):
        make_private_folder(folder)
    return open_project(folder, environ)


class PulledLibraries:
    """Fetches the index with the first call, and later pushes afterwards; trusted, like `CheckoutLibraries`."""

    def __init__(
        self,
        url: str,
        environ: Mapping[str, str],
        *,
        scope: str | None = None,
        tools: Collection[str] | None = None,
        on_error: OnError = lambda _: None,
    ) -> None:
        """
        Args:
            scope: Scope to search instead of the default one.
            tools: Tools to offer instead of those of the settings.
        """
        home = pulled_home(environ)
        mcp = home.settings.mcp
        mcp = mcp.model_copy(update={"tools": mcp.tools if tools is None else tuple(tools)})
        self._home = replace(home, settings=home.settings.model_copy(update={"mcp": mcp}))
        self._url = url
        self._environ = environ
        self._scope = scope or ""
        self._on_error = on_error
        self._served: ServedLibraries | None = None
        self._lock = threading.Lock()

    @property
    def projects(self) -> Sequence[str]:
        return ()

    @property
    def tools(self) -> Sequence[str]:
        settings = self._home.settings
        return offered_tools(settings.mcp.tools, settings, (SITE.name,))  # nothing else is pushed

    def find(self, scope: str, project: str = "") -> Library:
        """Return the library of a scope of the pulled index; raises as `open_pulled` too."""
        served = self._open()
        served.services.search().refresh()  # checks for a newer generation once per `artifacts.poll_seconds`
        return served.find(scope or self._scope)

    @property
    def is_open(self) -> bool:
        return self._served is not None

    def warm_up(self) -> None:
        """Fetch the index and load its model; an error is reported by the first call."""
        with suppress(SearchSocketError):
            self._open().find(self._scope).service.warm_up()

    def _open(self) -> ServedLibraries:
        with self._lock:
            if self._served is None:
                pulled = open_pulled(self._home, self._environ, self._url)
                project, environ, on_error = pulled.project, self._environ, self._on_error
                service = open_service(project, environ, on_error=on_error, store=pulled.store)
                self._served = ServedLibraries(open_services(project, environ, on_error=on_error, service=service))
            return self._served
