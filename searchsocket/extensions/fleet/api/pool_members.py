"""The projects of a pool, open or not, and the pool's metrics."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from search_api.endpoints.metrics import Metrics
from searchsocket.errors import SearchSocketError
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.extensions.fleet.project_list import ListedProject
from searchsocket.extensions.fleet.pulled_files import PulledFiles
from searchsocket.serving.service import SearchService
from searchsocket.stores.memory_budget import MemoryBudget


@dataclass(slots=True)
class Run:
    """One period in which a project is open, from its first request to its end."""

    opened: asyncio.Future[ServedSite]
    must_close: asyncio.Event = field(default_factory=asyncio.Event)
    is_unused: asyncio.Event = field(default_factory=asyncio.Event)
    requests: int = 0  # running, or waiting until it is open
    task: "asyncio.Task[None] | None" = None

    @property
    def site(self) -> ServedSite | None:
        """The open project; None while it is being opened, and if that failed."""
        is_open = self.opened.done() and not self.opened.cancelled() and not self.opened.exception()
        return self.opened.result() if is_open else None

    def leave(self) -> None:
        """End one request."""
        self.requests -= 1
        if not self.requests:
            self.is_unused.set()


@dataclass(slots=True)
class Failure:
    """The last failure to open a project."""

    error: SearchSocketError
    again_at: float
    pause_s: float


@dataclass(slots=True)
class Member:
    """A project of the pool, open or not."""

    listed: ListedProject
    metrics: Metrics
    run: Run | None = None
    failure: Failure | None = None

    @property
    def state(self) -> str:
        """`open`, `loading`, `closed` or the code of the error that keeps it closed."""
        if self.run:
            return "open" if self.run.site else "loading"
        error = self.listed.error or (self.failure.error if self.failure else None)
        return error.code if error else "closed"

    @property
    def service(self) -> SearchService | None:
        """The service of the open project; None while it is not open."""
        site = self.run.site if self.run else None
        if site is None or site.app is None:
            return None
        service: SearchService = site.app.state.service
        return service


class PoolNumbers(Collector):
    """Metrics of a pool: projects, memory and disk."""

    def __init__(self, members: Mapping[str, Member], memory: MemoryBudget, files: PulledFiles) -> None:
        self._members = members
        self._memory = memory
        self._files = files

    def collect(self) -> Iterable[Metric]:
        """Return one metric family per name, with the samples of all projects."""
        projects = GaugeMetricFamily("searchsocket_projects", "Projects by state.", labels=["state"])
        for state, count in Counter(member.state for member in tuple(self._members.values())).items():
            projects.add_metric([state], count)
        yield projects
        for name, text, value in (
            ("searchsocket_open_bytes", "Estimated memory of open projects and scopes.", self._memory.used_bytes),
            ("searchsocket_open_bytes_limit", "Its bound.", self._memory.max_bytes),
            ("searchsocket_pulled_bytes", "Files of pulled indexes.", self._files.used_bytes),
            ("searchsocket_pulled_bytes_limit", "Their bound.", self._files.max_bytes),
        ):
            yield GaugeMetricFamily(name, text, value)
