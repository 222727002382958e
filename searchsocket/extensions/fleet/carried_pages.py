"""Extract on other machines: a batch contains everything that it needs, and nothing else."""

import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from searchsocket.content.html.converters import make_converter
from searchsocket.content.html.extract import EXTRACTOR_VERSION
from searchsocket.errors import ClusterUnavailable
from searchsocket.extensions.fleet.dask import address_label, dask_executor
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
from searchsocket.state.extracts import StoredPage
from searchsocket.system.processes import map_batches
from searchsocket.web.urls.resolve import SiteBase

_BATCH_BYTES = 4_000_000  # of pages in one message; a larger page is sent alone


@dataclass(frozen=True, slots=True)
class CarriedBatch:
    """Pages with their bytes, so that a worker needs neither the site's files nor the whole configuration."""

    extractor: str  # version of the extractor, so that all machines give equal results
    settings: Settings  # the settings that affect a page's text; all others are defaults
    site: SiteBase
    pages: Sequence[StoredPage]
    bodies: Sequence[bytes | Unreadable]  # of each page


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
    needed = Settings(extract=settings.extract, transform=settings.transform)
    pages: list[StoredPage] = []
    bodies: list[bytes | Unreadable] = []
    size = 0
    for page in job.pages:
        body = read_one(source, page)
        body_bytes = len(body) if isinstance(body, bytes) else 0
        if pages and size + body_bytes > _BATCH_BYTES:
            yield CarriedBatch(EXTRACTOR_VERSION, needed, site, pages, bodies)
            pages, bodies, size = [], [], 0
        size += body_bytes
        pages.append(page)
        bodies.append(body)
    yield CarriedBatch(EXTRACTOR_VERSION, needed, site, pages, bodies)


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
    converter = make_converter(Path.cwd(), batch.settings.extract)
    return [
        extract_one(body, page, batch.settings, batch.site, converter)
        for page, body in zip(batch.pages, batch.bodies, strict=True)
    ]
