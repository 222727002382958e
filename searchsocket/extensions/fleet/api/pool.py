"""Open the projects of a list at their first request, close unused ones, and measure the pool."""

import asyncio
import copy
import shutil
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from search_api.app import create_app
from search_api.endpoints.monitoring import Metrics, ProjectNumbers
from searchsocket.errors import ArtifactsUnavailable, IndexLoading, SearchSocketError
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.extensions.fleet.follow import DEADLINE_S, OnDemand, PulledStore, Waiters
from searchsocket.extensions.fleet.project_list import ListedProject, ProjectList
from searchsocket.extensions.fleet.pulled import open_pulled
from searchsocket.extensions.fleet.pulled_files import PulledFiles
from searchsocket.project.project import Project
from searchsocket.serving.service import OnError, SearchService
from searchsocket.stores.local.open_readers import MemoryBudget
from searchsocket.stores.local.store import LocalStore
from searchsocket.system.this_process import return_freed_memory
from searchsocket.web.urls.site import site_origin

IDLE_S = 3600.0  # projects and scopes without a query for this time are closed
_PROJECT_BYTES = 3_000_000  # of an application without its indexes
_OPENED_AT_ONCE = 8  # they mostly wait for the object store
_CLOSE_S = 60.0  # time for running requests of a closed project; then they are cut off
_MAX_WAITING = 100  # requests for one project that is being opened
_FIRST_PAUSE_S, _MAX_PAUSE_S = 5.0, 300.0  # before a project that could not be opened is tried again


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


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """Limits of a pool, and options for its projects.

    Attributes:
        host, dev, environ: See `create_app`.
        token_of: The token of a project, made if it is missing; "" = none.
        deadline_s: Longest wait of a request for a project or a scope that is being loaded.
    """

    environ: Mapping[str, str]
    host: str
    dev: bool
    token_of: Callable[[Project], str]
    on_error: OnError
    max_memory_bytes: int
    max_disk_bytes: int
    deadline_s: float = DEADLINE_S


class ProjectPool:
    """The projects of a list, with limits of memory and disk; use it from one event loop."""

    def __init__(
        self, projects: ProjectList, options: PoolOptions, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """List the projects without opening any.

        Raises:
            ArtifactsUnavailable: The projects cannot be listed.
        """
        self.memory = MemoryBudget(options.max_memory_bytes, monotonic)
        self.files = PulledFiles(options.max_disk_bytes)
        self.numbers: list[ProjectNumbers] = []
        self.members: dict[str, Member] = {}
        self._projects = projects
        self._options = options
        self._monotonic = monotonic
        self._waiters = Waiters()
        self._openers = ThreadPoolExecutor(_OPENED_AT_ONCE, "open-project")
        self._building = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._apply(projects.read())

    @asynccontextmanager
    async def running(self, scan_s: float) -> AsyncIterator[None]:
        """Keep the list up to date, and close all projects at the end."""
        return_freed_memory()  # from now on, closed indexes return large blocks to the system
        scanning = asyncio.create_task(self._scan_often(scan_s))
        try:
            yield
        finally:
            scanning.cancel()
            with suppress(asyncio.CancelledError):
                await scanning
            for member in self.members.values():
                self._close(member)
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._openers.shutdown(wait=False, cancel_futures=True)

    async def acquire(self, member: Member) -> Run:
        """Return the open project, opening it if needed; `Run.leave` ends the request.

        Raises:
            IndexLoading: The project is still being opened.
            SearchSocketError: The project cannot be opened.
        """
        run = member.run or self._start(member)
        if run.requests >= _MAX_WAITING and not run.opened.done():
            raise _still_loading(member)
        run.requests += 1
        try:
            async with asyncio.timeout(self._options.deadline_s):
                await asyncio.shield(run.opened)
        except TimeoutError:
            run.leave()
            raise _still_loading(member) from None
        except BaseException:
            run.leave()
            raise
        self.memory.touch(id(run))
        return run

    async def scan(self) -> None:
        """Apply new, changed and vanished projects, and close unused ones."""
        loop = asyncio.get_running_loop()
        try:
            listed = await loop.run_in_executor(self._openers, self._projects.read)
            if not listed and self.members:
                raise ArtifactsUnavailable("the list of projects is empty; the previous projects stay")
        except SearchSocketError as error:
            self._options.on_error(error)
        else:
            vanished = self._apply(listed)
            await loop.run_in_executor(None, self._remove, vanished)
        self.memory.close_unused(IDLE_S)
        await self._scan_files()
        await loop.run_in_executor(None, return_freed_memory)  # of projects and scopes closed since the last scan

    async def _scan_files(self) -> None:
        roots = [root for member in self.members.values() if (root := member.listed.pulled_index)]
        await asyncio.get_running_loop().run_in_executor(None, self.files.scan, roots)

    async def _scan_often(self, every_s: float) -> None:
        scan = self._scan_files  # the list was read a moment ago
        while True:
            try:
                await scan()
            except Exception as error:  # noqa: BLE001  (reported; one defect must not stop the loop)
                self._options.on_error(error)
            await asyncio.sleep(every_s)
            scan = self.scan

    def _apply(self, listed: dict[str, ListedProject]) -> list[ListedProject]:
        """Replace the list, and return the projects that vanished."""
        vanished = [member for name, member in self.members.items() if name not in listed]
        for member in vanished:
            del self.members[member.listed.name]
            self._close(member)
        for name, project in listed.items():
            if project.error:
                self._options.on_error(project.error)
            if name in self.members:
                self._replace(self.members[name], project)
            else:
                self.members[name] = Member(project, Metrics(name))
        self._count()
        return [member.listed for member in vanished]

    def _replace(self, member: Member, listed: ListedProject) -> None:
        """Apply a project's new entry; a project whose new entry is broken keeps the old one."""
        if listed.error and not member.listed.error:
            return
        has_changed = (listed.project, listed.url) != (member.listed.project, member.listed.url)
        member.listed = listed
        if has_changed:
            member.failure = None
            self._close(member)

    def _remove(self, vanished: list[ListedProject]) -> None:
        """Delete the pulled files of vanished projects."""
        for listed in vanished:
            if root := listed.pulled_index:
                shutil.rmtree(root.parent, ignore_errors=True)

    def _start(self, member: Member) -> Run:
        if member.listed.error:
            raise copy.copy(member.listed.error)
        if member.failure and self._monotonic() < member.failure.again_at:
            raise copy.copy(member.failure.error)
        run = member.run = Run(asyncio.get_running_loop().create_future())
        run.task = asyncio.create_task(self._keep_open(member, run))
        self._tasks.add(run.task)
        run.task.add_done_callback(self._tasks.discard)
        return run

    async def _keep_open(self, member: Member, run: Run) -> None:
        """Open a project and close it again; all in one task, as its application requires."""
        loop = asyncio.get_running_loop()
        site: ServedSite | None = None
        try:
            site = await loop.run_in_executor(self._openers, self._open, member.listed, member.metrics)
            assert site.app is not None
            async with site.app.router.lifespan_context(site.app):
                member.failure = None
                run.opened.set_result(site)
                self._count()
                self.memory.add(id(run), _PROJECT_BYTES, partial(self._close_soon, loop, member, run))
                await run.must_close.wait()
                await self._drain(run)
        except Exception as error:  # noqa: BLE001  (the callers get it)
            self._fail(member, run, error)
        finally:
            self.memory.remove(id(run))
            self._close_run(member, run)
            if site and site.app:
                await loop.run_in_executor(None, _close_store, site.app.state.service)

    async def _drain(self, run: Run) -> None:
        """Wait until requests under way are answered."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                while run.requests:
                    run.is_unused.clear()
                    await run.is_unused.wait()

    def _fail(self, member: Member, run: Run, error: Exception) -> None:
        self._options.on_error(error)
        if run.opened.done():
            return
        reason = error if isinstance(error, SearchSocketError) else SearchSocketError("the project cannot be opened")
        before = None if isinstance(error, IndexLoading) else member.failure
        pause_s = min(2 * before.pause_s, _MAX_PAUSE_S) if before else _FIRST_PAUSE_S
        member.failure = Failure(copy.copy(reason), self._monotonic() + pause_s, pause_s)
        run.opened.set_exception(reason)
        run.opened.exception()  # mark it as read, since perhaps nobody waits for it

    def _open(self, listed: ListedProject, metrics: Metrics) -> ServedSite:
        """Open a project, in a thread of the openers."""
        options, project = self._options, listed.project
        store: PulledStore | None = None
        token = options.token_of(project)
        if listed.url:
            pulled = open_pulled(
                project, options.environ, listed.url, objects=listed.objects, make_room=self.files.make_room
            )
            project, store = pulled.project, pulled.store
            store.load_on_demand(OnDemand(self.files, self._waiters, options.deadline_s))
        with self._building:  # one at a time, since queries need the CPU too
            app = create_app(
                project,
                environ=options.environ,
                host=options.host,
                token=token,
                dev=options.dev,
                on_error=options.on_error,
                store=store,
                metrics=metrics,
                on_demand=True,
            )
        service: SearchService = app.state.service
        if isinstance(service.store, LocalStore):
            service.store.share_memory(self.memory)
        origin = site_origin(project.settings, service.scopes.default)
        return ServedSite(project, listed.name, service.site_title() or listed.name, origin, app)

    def _close_soon(self, loop: asyncio.AbstractEventLoop, member: Member, run: Run) -> None:
        """Close a project from any thread."""
        with suppress(RuntimeError):  # the service has ended
            loop.call_soon_threadsafe(self._close_run, member, run)

    def _close(self, member: Member) -> None:
        if member.run:
            self._close_run(member, member.run)

    def _close_run(self, member: Member, run: Run) -> None:
        """Close a project; the next request opens it again, even while earlier requests still run."""
        if member.run is run:
            member.run = None
            self._count()
        run.must_close.set()

    def _count(self) -> None:
        """Update the counters of all projects and the services of open ones."""
        self.numbers[:] = [ProjectNumbers(member.metrics, member.service) for member in self.members.values()]


def _close_store(service: SearchService) -> None:
    if isinstance(service.store, PulledStore):
        service.store.close()
    elif isinstance(service.store, LocalStore):
        service.store.close_readers()


def _still_loading(member: Member) -> IndexLoading:
    return IndexLoading(f"project {member.listed.name!r} is being loaded; try again in {IndexLoading.retry_after_s} s")
