"""Libraries of a pushed index in an object store, for agents without a checkout of the documentation."""

import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from searchsocket.agents.library import Library, ServedLibraries, offered_tools
from searchsocket.errors import SearchSocketError
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.models.embedders.cache_place import cache_folder
from searchsocket.pipeline.run.context import SITE
from searchsocket.project.project import Project, open_project
from searchsocket.project.settings.model import StateSettings
from searchsocket.serving.service import OnError, open_service
from searchsocket.serving.services import open_services
from searchsocket.system.errors import system_errors
from searchsocket.system.files import make_private_folder


def pulled_home(environ: Mapping[str, str]) -> Project:
    """Return the project without settings into which pushed indexes are fetched: a folder of the user's caches.

    If that cannot be written, it is in the state folder of the current folder.

    Raises:
        StateUnavailable: The folder cannot be made.
    """
    here = Path.cwd()
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
