"""Extract on a Dask cluster (spec 8.5): a batch contains everything that it needs, and nothing else."""

import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from searchsocket.content.html.converters import make_converter
from searchsocket.content.html.extract import EXTRACTOR_VERSION
from searchsocket.errors import ClusterUnavailable, ConfigError, ConfigMissing
from searchsocket.pipeline.extraction.cluster import ClusterExecutor
from searchsocket.pipeline.extraction.job import (
    Extraction,
    ExtractionJob,
    Unreadable,
    extract_one,
    pages_without_answer,
    read_one,
    settings_of,
    source_of,
)
from searchsocket.project.settings.model import RunSettings, Settings
from searchsocket.sources import configured_site
from searchsocket.sources.build_folder import heading_ids_of
from searchsocket.state.extracts import StoredPage
from searchsocket.system.processes import WorkersDied, map_batches
from searchsocket.web.urls.resolve import SiteBase

_BATCH_BYTES = 4_000_000  # of pages in one message; a larger page is sent alone
R = TypeVar("R")
_ADDRESS = re.compile(r"(?:[a-z]+://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}(?=/|$)")
_LOST = (OSError, RuntimeError, ValueError)  # errors of Dask for a missing or lost scheduler
_PACKAGE = "searchsocket"
_CONNECT_S = 10  # timeout for a scheduler
_LOOK_S = 5.0  # between checks for workers
_NO_WORKER_S = 60.0  # a cluster may start its workers when there is work


@dataclass(frozen=True, slots=True)
class CarriedBatch:
    """Pages with their bytes, so that a worker needs neither the site's files nor the whole configuration."""

    extractor: str  # version of the extractor, so that all machines give equal results
    settings: Settings  # the settings that affect a page's text; all others are defaults
    site: SiteBase
    pages: Sequence[StoredPage]
    bodies: Sequence[bytes | Unreadable]  # of each page
    heading_ids: str = ""  # see `Converter`


class DaskCluster:
    """Implements `Cluster`."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings

    @property
    def label(self) -> str:
        return address_label(self._settings.dask_address)

    def connect(self) -> AbstractContextManager[ClusterExecutor]:
        return dask_executor(self._settings.dask_address)

    def extract(self, jobs: Iterable[ExtractionJob]) -> Iterator[list[Extraction]]:
        with self.connect() as cluster:
            yield from map_batches(
                extract_carried,
                (carried for job in jobs for carried in carry(job)),
                workers=cluster.workers,
                lost=lambda batch: pages_without_answer(batch.pages, self._settings),
                split=one_page_each,
                make_executor=lambda _: cluster,
            )


def carry(job: ExtractionJob) -> Iterator[CarriedBatch]:
    """Read the pages of a batch, and split it if they are large."""
    settings, source = settings_of(job), source_of(job)
    site = configured_site(settings, job.mode, job.scope)
    heading_ids = heading_ids_of(job.root)
    needed = Settings(extract=settings.extract, transform=settings.transform)
    pages: list[StoredPage] = []
    bodies: list[bytes | Unreadable] = []
    size = 0
    for page in job.pages:
        body = read_one(source, page)
        body_bytes = len(body) if isinstance(body, bytes) else 0
        if pages and size + body_bytes > _BATCH_BYTES:
            yield CarriedBatch(EXTRACTOR_VERSION, needed, site, pages, bodies, heading_ids)
            pages, bodies, size = [], [], 0
        size += body_bytes
        pages.append(page)
        bodies.append(body)
    yield CarriedBatch(EXTRACTOR_VERSION, needed, site, pages, bodies, heading_ids)


def one_page_each(batch: CarriedBatch) -> list[CarriedBatch]:
    """Split a batch into batches of one page, to find the page that no worker survives."""
    return [replace(batch, pages=[page], bodies=[body]) for page, body in zip(batch.pages, batch.bodies, strict=True)]


def extract_carried(batch: CarriedBatch) -> list[Extraction]:
    """Extract a batch on this machine.

    Raises:
        ClusterUnavailable: This machine has another version of the extractor.
    """
    if batch.extractor != EXTRACTOR_VERSION:
        raise ClusterUnavailable(
            f"the Dask worker on {socket.gethostname()} extracts pages with {EXTRACTOR_VERSION!r}, but this run with "
            f"{batch.extractor!r}; install the same searchsocket there"
        )
    # The cluster's code contains the site's own converters: they must be importable there.
    converter = make_converter(Path.cwd(), batch.settings.extract).with_heading_ids(batch.heading_ids)
    return [
        extract_one(body, page, batch.settings, batch.site, converter)
        for page, body in zip(batch.pages, batch.bodies, strict=True)
    ]


class DaskExecutor(ClusterExecutor):
    """Runs batches on a cluster, and converts its errors to ours."""

    def __init__(self, client: Any, label: str) -> None:
        """
        Args:
            client: A connected `distributed.Client`.
            label: The scheduler's address without secrets.
        """
        self._client = client
        self._inner = client.get_executor(pure=False)
        self._label = label
        self._worked = monotonic()

    @property
    def workers(self) -> int:
        """Number of batches that the cluster runs at a time, at least 1."""
        return max(1, sum(self._threads().values()))

    def submit(self, fn: Callable[..., R], /, *args: object, **kwargs: object) -> Future[R]:
        """Submit work; waiting for the result fails if the cluster has no workers."""
        inner = self._inner.submit(fn, *args, **kwargs)
        outer: Future[R] = _WatchedFuture(inner, self._look)
        inner.add_done_callback(lambda done: self._hand_over(done, outer))
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel running work; the cluster itself stays."""
        with suppress(Exception):  # a client without its cluster can cancel nothing
            self._inner.shutdown(wait=wait and not cancel_futures)

    def _hand_over(self, inner: Future[R], outer: Future[R]) -> None:
        if not outer.set_running_or_notify_cancel():
            return
        try:
            outer.set_result(inner.result())
        except CancelledError:
            outer.set_exception(self._lost())
        except Exception as error:  # noqa: BLE001  any error of a worker is passed to the waiting caller
            outer.set_exception(self._lost() if _is_of_dask(error) else _translate(error))

    def _lost(self) -> ClusterUnavailable:
        return ClusterUnavailable(f"the Dask cluster at {self._label} was lost while it worked")

    def _look(self) -> None:
        if self._threads():
            self._worked = monotonic()
        elif monotonic() - self._worked > _NO_WORKER_S:
            raise ClusterUnavailable(
                f"the Dask cluster at {self._label} has had no worker for {_NO_WORKER_S:g} s; start some with "
                "`dask worker ADDRESS`, or unset run.dask_address"
            )

    def _threads(self) -> dict[str, int]:
        """Map workers to their numbers of threads."""
        try:
            return dict(self._client.sync(self._client.scheduler.ncores, callback_timeout=_CONNECT_S))
        except (*_LOST, AttributeError) as error:  # a client that gave up has no scheduler
            raise ClusterUnavailable(
                f"the Dask cluster at {self._label} no longer answers ({type(error).__name__})"
            ) from None


class _WatchedFuture(Future[R]):
    """A future that checks for workers while it is waited for."""

    def __init__(self, inner: Future[R], look: Callable[[], None]) -> None:
        super().__init__()
        self._inner = inner
        self._look = look

    def cancel(self) -> bool:
        is_cancelled = super().cancel()
        with suppress(Exception):  # see `DaskExecutor.shutdown`
            return is_cancelled and self._inner.cancel()
        return is_cancelled

    def result(self, timeout: float | None = None) -> R:
        if timeout is not None:
            return super().result(timeout)
        while True:
            try:
                return super().result(_LOOK_S)
            except TimeoutError:
                if self.done():  # the work itself raised TimeoutError
                    raise
                self._look()


@contextmanager
def dask_executor(address: str) -> Iterator[DaskExecutor]:
    """Connect to a scheduler; disconnect at the end of the block.

    Args:
        address: E.g. `tcp://scheduler:8786`. Certificates for `tls://` come from Dask's own settings.

    Raises:
        ConfigMissing: The package `distributed` is not installed.
        ConfigError: The address is invalid, or contains a login, which Dask would not use.
        ClusterUnavailable: No scheduler answers within ten seconds, or a worker has another version of searchsocket.
    """
    label = address_label(address)
    try:
        import distributed  # heavy: half a second
    except ImportError as error:
        raise ConfigMissing(
            "run.dask_address is set, but Dask is not installed; `pip install searchsocket[dask]`, or unset it"
        ) from error
    connect: Any = distributed.Client
    try:
        client = connect(address, timeout=_CONNECT_S, set_as_default=False, name="searchsocket")
    except _LOST as error:
        # Dask's message repeats the address, and a chained cause would be logged.
        raise ClusterUnavailable(
            f"no Dask scheduler answers at {label} ({type(error).__name__}); start one with `dask scheduler`, "
            "correct run.dask_address, or unset it to work on this machine alone"
        ) from None
    try:
        # A worker that cannot load its work would end without a message, and so would the next one.
        _refuse_strangers(client.run(version, _PACKAGE, on_error="return"), label)
        yield DaskExecutor(client, label)
    finally:
        client.close(timeout=_CONNECT_S)


def address_label(address: str) -> str:
    """Protocol, host and port of a scheduler: the part of its address without secrets.

    Raises:
        ConfigError: The address is invalid, or contains a login; the message does not repeat it.
    """
    match = _ADDRESS.match(address)
    if match is None:
        raise ConfigError(
            "run.dask_address must be PROTOCOL://HOST:PORT without a login, e.g. tcp://scheduler:8786; certificates "
            "for tls:// come from Dask's own settings"
        )
    return match[0]


def _refuse_strangers(versions: Mapping[str, object], label: str, own_version: str = "") -> None:
    """Refuse workers that have another version than `own_version`, by default that of this process."""
    own_version = own_version or version(_PACKAGE)
    for worker, worker_version in sorted(versions.items()):
        if isinstance(worker_version, OSError):
            continue  # it has just died; another worker replaces it
        if worker_version != own_version:
            package = f"{_PACKAGE} {worker_version}" if isinstance(worker_version, str) else f"no {_PACKAGE}"
            raise ClusterUnavailable(
                f"the worker {worker} of the Dask cluster at {label} has {package}, but this process has "
                f"{own_version}; install the same on the scheduler and all workers"
            )


def _is_of_dask(error: Exception) -> bool:
    """Return True if the error comes from Dask itself: the cluster was lost while it returned a result."""
    deepest = error.__traceback__
    while deepest is not None and deepest.tb_next is not None:
        deepest = deepest.tb_next
    module = deepest.tb_frame.f_globals.get("__name__") if deepest else ""
    return module == "distributed.cfexecutor" and isinstance(error, TypeError | ValueError | AttributeError)


def _translate(error: Exception) -> Exception:
    from distributed import KilledWorker

    return WorkersDied(str(error)) if isinstance(error, KilledWorker) else error
